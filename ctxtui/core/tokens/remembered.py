"""Counts of texts smaller than a file, such as headers and sections, kept on disk between processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ctxtui.core.base.digest import text_digest
from ctxtui.core.disk.cache import Cache
from ctxtui.core.tokens.counter import CHARACTERS, Count, TokenCounter


def cached_count(cache: Cache, kind: str, text: str, measure: Callable[[], int]) -> int:
    """The size of a text in units of a kind, as it was kept, else as `measure` gives it."""
    name, digest = f"tokens {kind}", text_digest(text)
    known: int | None = cache.find(name, digest)
    if known is None:
        known = measure()
        cache.keep(name, digest, known)
    return known


def remembering(counter: TokenCounter, cache: Cache) -> TokenCounter:
    """A counter with the same numbers that needs no encoder for the texts that some process counted before."""
    return (
        counter if counter.basis == CHARACTERS else replace(counter, tokens_of=_remembered(cache, counter.tokens_of))
    )


def _remembered(cache: Cache, tokens_of: Count) -> Count:
    def count(text: str, name: str) -> int:
        return cached_count(cache, name, text, lambda: tokens_of(text, name)) if text else 0

    return count
