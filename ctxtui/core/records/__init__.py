"""Records on disk: one Markdown file each, written whole, found by id."""
