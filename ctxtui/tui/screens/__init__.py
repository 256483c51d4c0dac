"""Screens on top of the main one."""
