"""The three-tier cache around a provider, and what a chain of commands shares."""
