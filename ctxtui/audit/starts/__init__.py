"""Starts as predicted by the table of agents, and as sent: by category and by file."""
