"""The index behind the filesystem provider: chunks, terms, storage and ranking."""
