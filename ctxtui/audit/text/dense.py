"""Find text that is not for reading: base64, minified code and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

ENCODED, DENSE = "encoded data", "text without blanks"

_LONG, _WIDE = 400, 48
_ENCODED_LINE = re.compile(r"[A-Za-z0-9+/_-]{48,}={0,2}")
_BETWEEN_DATA = re.compile(r"[^A-Za-z0-9+/_-]+")
_DATA = 200
# Prose has a space every five or six letters, minified code every few dozen.
_BLANKS = 0.08
_FEWEST = 8


@dataclass(frozen=True, slots=True)
class Blob:
    """Lines without words: the first and last line, from 1, and their probable kind."""

    first: int
    last: int
    kind: str


def find_blobs(lines: Sequence[str]) -> tuple[Blob, ...]:
    """Long lines with few or no spaces, and runs of lines with encoded data only, by first line."""
    wide = [(number, line) for number, line in enumerate(lines, 1) if len(line) >= _WIDE]
    long = [blob for number, line in wide if len(line) >= _LONG and (blob := _blob_of_line(line, number))]
    known = {blob.first for blob in long}
    encoded = [
        number
        for number, line in wide
        if " " not in line and number not in known and _ENCODED_LINE.fullmatch(line.strip())
    ]
    return tuple(sorted([*long, *_wrapped(encoded)], key=lambda blob: blob.first))


def _blob_of_line(line: str, number: int) -> Blob | None:
    """The blob that a line of ASCII is, by a long word or by too few blanks, or None."""
    run = max(line.split(), key=len, default="")
    if len(run) >= _LONG and run.isascii():
        longest = max(map(len, _BETWEEN_DATA.split(run)))
        return Blob(number, number, ENCODED if longest >= _DATA else DENSE)
    is_dense = line.isascii() and len(line) >= 2 * _LONG and line.count(" ") < _BLANKS * len(line)
    return Blob(number, number, DENSE) if is_dense else None


def _wrapped(numbers: Sequence[int]) -> list[Blob]:
    """One blob for each run of at least eight consecutive line numbers."""
    if not numbers:
        return []
    breaks = [place for place, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1]
    return [
        Blob(numbers[start], numbers[end - 1], ENCODED)
        for start, end in pairwise([0, *breaks, len(numbers)])
        if end - start >= _FEWEST
    ]
