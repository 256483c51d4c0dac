"""Audits read back from the cache, and audits in a worker process."""
