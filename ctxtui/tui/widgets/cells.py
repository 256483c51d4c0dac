"""Cells of rows: shorten the name in each row to fit, and highlight matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from rich.cells import cell_len

from ctxtui.tui.filtering import CharRange
from ctxtui.tui.names import Name, Shortened, distinct

Plain = tuple[str, str]
"""A text and the name of its style."""


def fitted(
    rows: Sequence[tuple[Sequence[Plain | Name], Sequence[Plain | Name]]], width: int
) -> list[tuple[Sequence[Plain], Sequence[Plain]]]:
    """The left and right cells of each row in `width` columns. Different names look different after shortening."""
    names = [_name(left, right, width) for left, right in rows]
    short = iter(distinct([name for name in names if name is not None]))
    lefts = [
        _with_name(left, None if name is None else next(short)) for (left, _), name in zip(rows, names, strict=True)
    ]
    return [(left, [_plain(cell) for cell in right]) for left, (_, right) in zip(lefts, rows, strict=True)]


def _name(left: Sequence[Plain | Name], right: Sequence[Plain | Name], width: int) -> tuple[Name, int] | None:
    """The first name in the left cells of a row, and the columns of `width` that it may take. None without a name."""
    before = list(takewhile(lambda cell: not isinstance(cell, Name), left))
    if len(before) == len(left):
        return None
    name = left[len(before)]
    assert isinstance(name, Name)
    taken = sum(cell_len(cell[0]) for cell in (*before, *right))
    behind = sum(cell_len(cell[0]) for cell in left[len(before) + 1 :])
    room = width - taken
    return name, max(1, room - min(behind, int(room * name.yields)))


def _plain(cell: Plain | Name) -> Plain:
    return cell[0], cell[1]


def _with_name(cells: Sequence[Plain | Name], short: Shortened | None) -> list[Plain]:
    result: list[Plain] = []
    for cell in cells:
        if isinstance(cell, Name) and short is not None:
            for text, start in short.pieces:
                result += [(text, cell.style)] if start < 0 else _highlighted(text, start, cell.style, cell.spans)
            short = None
        else:
            result.append(_plain(cell))
    return result


def _highlighted(text: str, start: int, style: str, spans: Sequence[CharRange]) -> Iterable[Plain]:
    """A piece of a name with offset `start`, split at its matched parts."""
    place = 0
    for first, end in spans:
        first, end = max(0, first - start), min(len(text), end - start)
        if first < end:
            if place < first:
                yield text[place:first], style
            yield text[first:end], "match"
            place = end
    if place < len(text):
        yield text[place:], style
