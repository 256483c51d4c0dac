"""Patterns that a project names: regular expressions, globs and ignore rules that never run for ever."""
