"""Files as bytes: paths inside a root, walks, writes, the cache, git, worker processes."""
