"""Related files: what a file imports, what imports it, its tests, and the documents that name it."""
