"""Business entries of seed 001."""
