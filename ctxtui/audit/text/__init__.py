"""Text analysis for rules: commands, paths, links, repeats, credentials, invisible characters."""
