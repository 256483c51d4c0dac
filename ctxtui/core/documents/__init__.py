"""Documents: each file read, counted and parsed once."""
