"""Files below one root: found, read, counted and written, and never outside it."""
