"""The blocks of a file's text, counted and named by what they say, to find what many repositories have in common."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.decode import line_ends
from ctxtui.core.text.secrets import find_secrets, redacted
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.fleet.block_starts import block_starts
from ctxtui.fleet.types import Block

_HEAD: Final = 80


def blocks_of(text: str, counter: TokenCounter, cache: Cache | None = None) -> tuple[Block, ...]:
    """The blocks of a text in order; their tokens add up to those of the text.

    Digests and first words are of the text with secrets redacted. With a `cache`, a text is cut and counted once.
    """
    if cache is None:
        return tuple(_blocks(text, counter, None))
    kind, digest = f"blocks {counter.key}", text_digest(text)
    blocks: tuple[Block, ...] | None = cache.find(kind, digest)
    if blocks is None:
        blocks = tuple(_blocks(text, counter, cache))
        cache.keep(kind, digest, blocks)
    return blocks


def _blocks(text: str, counter: TokenCounter, cache: Cache | None) -> Iterator[Block]:
    hidden = find_secrets(text, cache)
    units = before = 0
    line = 1
    for start, end in pairwise([*block_starts(text), len(text)]):
        block = text[start:end]
        units += counter.units(block)
        tokens = counter.total(units)
        words = " ".join((redacted(text, hidden, start, end)[0] if hidden else block).split())
        blank = line_ends(block[: len(block) - len(block.lstrip())]) if words else 0
        yield Block(text_digest(words), line + blank, tokens - before, _head(words))
        before, line = tokens, line + line_ends(block)


def _head(words: str) -> str:
    head = plain_line(words[: _HEAD + 1])
    return head if len(head) <= _HEAD else f"{head[: _HEAD - 1].rstrip()}…"
