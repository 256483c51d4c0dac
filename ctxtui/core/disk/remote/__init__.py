"""Remote projects: repositories fetched with the user's git into the cache, and opened read-only."""
