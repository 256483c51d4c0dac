"""Processes of this package that work for another one, and end with it."""
