"""The lines of a file around a finding, and its other places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ctxtui.audit.types import Finding, Place

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_BEFORE: Final = 6
_MOST: Final = 200
_LONGEST: Final = 4_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file without line ends, each cut beyond 4,000 characters.

    `first` is the number of the first line, from 1. `marked` are the numbers of the lines in question. `places` are
    the other places of the finding.
    """

    first: int
    lines: tuple[str, ...]
    marked: frozenset[int]
    places: tuple[Place, ...] = ()


def excerpt(text: str, path: str, line: int | None, finding: Finding | None = None) -> Excerpt:
    """Up to 200 lines from six before a line, or from the top. Marks a finding's places in this file."""
    marked = {each.line for each in (finding.places if finding else ()) if each.path == path and each.line}
    marked |= {line} if line else set()
    first = max(1, (line or 1) - _BEFORE)
    lines = []
    for number, found in enumerate(_LINE.finditer(text), 1):
        if number >= first + _MOST:
            break
        if number >= first:
            lines.append(found[0].rstrip("\r\n")[:_LONGEST])
    others = {(each.path, each.line): each for each in (finding.places if finding else ())}
    others.pop((path, line), None)
    return Excerpt(first, tuple(lines), frozenset(marked), tuple(others.values()))
