"""Plans to save tokens at agent starts: savings, risks and diffs of changes."""
