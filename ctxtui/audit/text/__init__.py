"""Text analysis for rules: repeats, dense text, invisible characters, headings."""
