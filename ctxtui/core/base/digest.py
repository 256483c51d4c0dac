"""Content digests, part of every cache key."""

from __future__ import annotations

from hashlib import blake2b


def digest_of(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=16).digest()


def text_digest(text: str) -> bytes:
    return digest_of(text.encode("utf-8", "surrogatepass"))
