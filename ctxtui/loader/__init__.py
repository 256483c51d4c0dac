"""The `.context` loader of seed 002."""
