"""The digest of a content, by which everything that was learned of it is kept."""

from __future__ import annotations

from hashlib import blake2b


def digest_of(data: bytes | memoryview) -> bytes:
    """The key of a content."""
    return blake2b(data, digest_size=16).digest()


def text_digest(text: str) -> bytes:
    """The key of a text."""
    return digest_of(text.encode("utf-8", "surrogatepass"))
