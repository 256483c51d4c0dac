"""What a user wants from a workspace: a selection under a budget, exported or kept as a recipe."""
