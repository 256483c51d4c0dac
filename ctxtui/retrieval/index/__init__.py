"""The index behind the filesystem provider: chunks, search words, storage and ranking."""
