"""What the rules look for in texts: repeats, dense text, invisible characters, headings."""
