"""Records on disk: one Markdown file each, written atomically, found by id."""
