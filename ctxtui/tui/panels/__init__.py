"""The three panels of the main screen; each owns the keys that act on its rows."""
