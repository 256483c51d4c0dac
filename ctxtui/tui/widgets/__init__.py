"""Widgets draw values and post messages."""
