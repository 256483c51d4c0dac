"""Plain data in YAML, TOML and JSON: the one door through which such text is read, bounded, and written."""
