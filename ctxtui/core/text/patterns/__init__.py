"""Untrusted patterns from projects: regular expressions, globs and ignore rules in bounded time."""
