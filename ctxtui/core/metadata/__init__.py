"""Metadata of a file: its frontmatter, and the typed reference that is made of it."""
