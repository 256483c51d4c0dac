"""Exact token counts: encodings shipped as data, counters, counts that add up, and their cache."""
