"""Related files: imports, importers, tests, and documents that name the file."""
