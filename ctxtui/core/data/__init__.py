"""Plain data in YAML and TOML: the one door through which such text is read, bounded, and written."""
