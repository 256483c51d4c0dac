"""Counts of texts smaller than a file, such as headers and sections, kept on disk between processes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctxtui.core.digest import text_digest
from ctxtui.core.passes import Passes
from ctxtui.core.tokens.counter import CHARACTERS, Count, TokenCounter
from ctxtui.core.tokens.encodings import count_tokens

_BYTES: Final = 8


def remembering(counter: TokenCounter, passes: Passes) -> TokenCounter:
    """A counter with the same numbers that needs no encoder for the texts that some process counted before."""
    return counter if counter.basis == CHARACTERS else replace(counter, tokens_of=_remembered(passes))


def _remembered(passes: Passes) -> Count:
    def count(text: str, name: str) -> int:
        if not text:
            return 0
        kind, digest = f"tokens {name}", text_digest(text)
        known = passes.find(kind, digest)
        if known is not None:
            return int.from_bytes(known)
        tokens = count_tokens(text, name)
        passes.keep(kind, digest, tokens.to_bytes(_BYTES))
        return tokens

    return count
