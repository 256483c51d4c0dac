"""Queries: picks that are computed at each build, and the blocks they become."""
