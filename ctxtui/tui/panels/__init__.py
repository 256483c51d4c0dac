"""The three panels of the main screen; each owns the keys that mean its rows."""
