"""Exact token counts: shipped encodings, counters, counts that add up, and the ledger that caches them."""
