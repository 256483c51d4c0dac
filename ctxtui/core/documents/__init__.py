"""Files read once: looked at, counted and parsed into documents."""
