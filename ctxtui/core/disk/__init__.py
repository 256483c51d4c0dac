"""Files as bytes: paths that stay in their root, walks, writes, the cache, git, worker processes."""
