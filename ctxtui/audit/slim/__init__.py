"""A plan of changes that save tokens at the start of agents: what each saves, what could be lost, and its diff."""
