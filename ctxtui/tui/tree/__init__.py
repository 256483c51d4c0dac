"""The rows of the tree: which, in which order, and their cells."""
