"""A user's work on a workspace: a selection under a budget, exported or kept as a recipe."""
