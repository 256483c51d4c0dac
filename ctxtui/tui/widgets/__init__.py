"""Widgets: each draws values and posts messages."""
