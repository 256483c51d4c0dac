"""Metadata of a file: its frontmatter, and the typed reference made from it."""
