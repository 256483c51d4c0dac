"""Texts into values: Markdown, metadata, data formats, code, notebooks, secrets, patterns."""
