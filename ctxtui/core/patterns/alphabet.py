"""Sets of characters as `re` defines them, and texts reduced to the characters that a pattern distinguishes."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate
from operator import xor
from typing import Final

Ranges = tuple[tuple[int, int], ...]
"""Code points as ranges that do not touch, in order: the first of each, and the one after its last."""

_END: Final = sys.maxunicode + 1
NEWLINE: Final[Ranges] = ((10, 11),)
# Above the first there are no letters, digits or spaces; above the second no letters with case.
_LAST_NAMED: Final = 0x40000
_LAST_CASED: Final = 0x20000
_LAST_NEWLINE, _OTHER_NEWLINE = 10, 13
_WORD_BYTES: Final = bytes(byte for byte in range(128) if chr(byte).isalnum() or byte == 95)
_OTHER_BYTES: Final = bytes(byte for byte in range(256) if byte not in (*_WORD_BYTES, _LAST_NEWLINE, _OTHER_NEWLINE))


class TooManyLetters(ValueError):
    """A pattern distinguishes more characters than there are bytes."""


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges in any order, which may overlap, as one set."""
    joined: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((first, end))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """All other code points."""
    edges = [0, *(edge for each in ranges for edge in each), _END]
    return tuple((first, end) for first, end in zip(edges[::2], edges[1::2], strict=True) if first < end)


@cache
def category(letter: str, flags: int) -> Ranges:
    r"""The characters of `\d`, `\w` or `\s`, by their letter; asked from `re` itself, so both always agree."""
    characters = "".join(map(chr, range(_LAST_NAMED)))
    return tuple(match.span() for match in re.finditer(rf"\{letter}+", characters, flags))


@cache
def _cased() -> str:
    letters = map(chr, range(_LAST_CASED))
    return "".join(letter for letter in letters if letter.lower() != letter or letter.upper() != letter)


def in_any_case(ranges: Ranges, flags: int) -> Ranges:
    """A set with everything that it matches if case is ignored."""
    written = "".join(f"\\U{first:08x}-\\U{end - 1:08x}" for first, end in ranges)
    found = re.findall(f"[{written}]", _cased(), flags & re.ASCII | re.IGNORECASE) if written else []
    return union([*ranges, *((ord(letter), ord(letter) + 1) for letter in found)])


class Alphabet(dict[int, int]):
    """A byte for each character, the same for all that no set of a pattern distinguishes.

    A matcher of bytes then sees what `re` sees: `\\b` of ASCII falls between the same characters as that of
    Unicode, if `words` is given. The newline at the end of a text has its own byte unless `lines`,
    because `$` matches only before that one. Raises TooManyLetters.
    """

    def __init__(self, sets: Sequence[Ranges], words: Ranges | None, lines: bool) -> None:
        super().__init__()
        self._lines = lines
        marked = [NEWLINE, words or (), *sets]
        edges: dict[int, int] = defaultdict(int, {0: 0})
        for bit, ranges in enumerate(marked):
            for edge in (edge for each in ranges for edge in each):
                edges[edge] ^= 1 << bit
        self._starts = sorted(edges)
        masks = list(accumulate((edges[start] for start in self._starts), xor))
        free = [iter(_OTHER_BYTES), iter(_WORD_BYTES)] if words else [iter(_OTHER_BYTES + _WORD_BYTES)] * 2
        bytes_of: dict[int, int] = {}
        for mask in masks:
            if mask not in bytes_of:
                bytes_of[mask] = self._newline if mask & 1 else next(free[mask >> 1 & 1], -1)
        if -1 in bytes_of.values():
            raise TooManyLetters
        self._bytes = [bytes_of[mask] for mask in masks]
        self.members = [_written(byte for mask, byte in bytes_of.items() if mask >> bit & 1) for bit in _bits(sets)]

    @property
    def _newline(self) -> int:
        return _LAST_NEWLINE if self._lines else _OTHER_NEWLINE

    def __missing__(self, character: int) -> int:
        byte = self[character] = self._bytes[bisect_right(self._starts, character) - 1]
        return byte

    def encode(self, text: str) -> bytes:
        """The text with one byte for each character."""
        encoded = text.translate(self).encode("latin-1")
        return encoded[:-1] + b"\n" if text.endswith("\n") else encoded


def _bits(sets: Sequence[Ranges]) -> range:
    return range(2, 2 + len(sets))


def _written(found: Iterable[int]) -> str:
    """A class of bytes for RE2."""
    members = set(found)
    if _LAST_NEWLINE in members or _OTHER_NEWLINE in members:
        members |= {_LAST_NEWLINE, _OTHER_NEWLINE}
    ranges = union((byte, byte + 1) for byte in members)
    inside = "".join(f"\\x{first:02x}-\\x{end - 1:02x}" for first, end in ranges)
    return f"[{inside}]" if inside else r"[^\x00-\xff]"
