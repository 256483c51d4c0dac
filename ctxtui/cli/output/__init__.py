"""The standard streams, the terminal, and JSON of results."""
