"""Text analysis for rules: commands, paths, links, credentials, invisible characters."""
