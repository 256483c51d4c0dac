"""The three panels of the main screen. Each owns the keys that act on its rows."""
