"""Code spans in Markdown, found in one pass: a run of backticks ends at the next run of equal length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_EDGE: Final = re.compile(r"`+|\n")


def replace_code(text: str, shown: Callable[[str, str], str]) -> str:
    """The text with `shown(span, inside)` in place of each code span. Spans end with their line."""
    parts, end = [], 0
    for opening, closing in find_code(text):
        start, stop = opening[0], closing[1]
        parts += [text[end:start], shown(text[start:stop], text[opening[1] : closing[0]])]
        end = stop
    return "".join([*parts, text[end:]]) if parts else text


def find_code(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """For each code span, start and end of its opening and of its closing run of backticks, in characters."""
    edges = [match.span() for match in _EDGE.finditer(text)]
    # For each run of backticks, the position of the next one as long on its line.
    closers: list[int | None] = [None] * len(edges)
    latest: dict[int, int] = {}
    for place in range(len(edges) - 1, -1, -1):
        start, end = edges[place]
        if text[start] == "\n":
            latest.clear()
        else:
            closers[place] = latest.get(end - start)
            latest[end - start] = place
    place = 0
    while place < len(edges):
        closer = closers[place]
        if closer is not None:
            yield edges[place], edges[closer]
            place = closer
        place += 1
