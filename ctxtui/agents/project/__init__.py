"""A project as coding agents read it: its paths, frontmatter, imports, patterns, configuration and packages."""
