"""The domain catalog of seed 000."""
