"""The table of commands, and the keys that run them."""
