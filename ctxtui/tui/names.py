"""Names in rows, shortened so that the last part shows and no two in a list look alike, and highlighted matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from ctxtui.tui.filtering import CharRange

GAP: Final = "…"
# The most characters that show the difference of two names.
_MOST_DIFFERENCE = 12
_MIN_TAIL = 4
# The least characters of a folder's name worth showing.
_LEAST_FOLDER = 6


class Name(NamedTuple):
    """A harmless text with matched `spans`, shortened to fit. Cells behind get a share of at most `yields`."""

    text: str
    style: str = ""
    spans: Sequence[CharRange] = ()
    yields: float = 0.0


class Shortened(NamedTuple):
    """A shortened name: pieces of text with their offsets in the name. `…` for omitted text has the offset -1."""

    pieces: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


def fit(text: str, room: int, spans: Sequence[CharRange] = ()) -> str:
    """A harmless text in at most `room` columns: its last part shows, and its spans as far as they fit."""
    return shorten(text, room, spans).text


def fit_end(text: str, room: int) -> str:
    """The beginning of a text that is already harmless, in at most `room` columns."""
    return text if cell_len(text) <= room else set_cell_size(text, max(0, room - 1)) + GAP


def shorten(text: str, room: int, spans: Sequence[CharRange] = ()) -> Shortened:
    """A harmless text in at most `room` columns, as pieces: its last part, then its spans as far as they fit."""
    size = len(text)
    last = _last_part(text)
    tail = max(last, size - max(_MIN_TAIL, room // 3))
    orders = [range(size - 1, tail - 1, -1), *(range(*span) for span in spans)]
    orders += [range(last, last + room // 3), range(size - 1, last - 1, -1), range(last - 1, -1, -1)]
    kept = _kept(text, room, orders)
    if kept is None:
        return Shortened(((text, 0),))
    _begin_at_a_part(text, kept, last, spans)
    return _shortened_text(text, kept)


def distinct(names: Sequence[tuple[Name, int]]) -> list[Shortened]:
    """Each name of a list shortened to its columns, in the given order. Different names look different, if possible.

    Names that would look alike also show where they differ, else more of their beginning.
    """
    plain = [shorten(name.text, room, name.spans) for name, room in names]
    alike: dict[str, dict[str, None]] = {}
    for (name, _), short in zip(names, plain, strict=True):
        alike.setdefault(short.text, {})[name.text] = None
    if all(len(texts) == 1 for texts in alike.values()):
        return plain
    shown = {text: next(iter(texts)) for text, texts in alike.items() if len(texts) == 1}
    result = list(plain)
    for place, (name, room) in enumerate(names):
        others = alike[plain[place].text]
        if len(others) == 1:
            continue
        for form in _forms(name, room, others):
            if shown.setdefault(form.text, name.text) == name.text:
                result[place] = form
                break
    return result


def _forms(name: Name, room: int, others: Iterable[str]) -> Iterator[Shortened]:
    """Forms of a name in `room` columns, to try in turn until one looks unlike the `others`."""
    text = name.text
    if len(text) <= room and cell_len(text) <= room:
        yield Shortened(((text, 0),))
    last = _last_part(text)
    ends = [range(len(text) - 1, last - 1, -1), *(range(*span) for span in name.spans), range(last - 1, -1, -1)]
    kept = _kept(text, room, ends)
    if kept is not None and all(kept[last:]):
        end = text[kept.rfind(0) + 1 :]
        if not any(other.endswith(end) for other in others if other != text):
            yield _shortened_text(text, kept)
    differing = [_difference(text, other) for other in others if other != text]
    yield shorten(text, room, (*name.spans, *differing))
    for span in dict.fromkeys(differing):
        yield shorten(text, room, (span,))
    for columns in range(room, 1, -1):
        for head in range(1, columns - 1):
            kept = _kept(text, columns, [range(head), range(len(text) - 1, head, -1)])
            if kept is not None:
                yield _shortened_text(text, kept)


def _last_part(text: str) -> int:
    """The offset of the last part of a path. A slash at the end belongs to it."""
    return text.rfind("/", 0, max(0, len(text) - 1)) + 1


def _difference(text: str, other: str) -> CharRange:
    """The last characters of `text` before the end that it shares with `other`, in one part of the path."""
    same = 0
    for own, others in zip(reversed(text), reversed(other), strict=False):
        if own != others:
            break
        same += 1
    end = len(text) - same
    if end == 0:
        return 0, min(len(text), _MOST_DIFFERENCE)
    return max(text.rfind("/", 0, end - 1) + 1, end - _MOST_DIFFERENCE), end


def _kept(text: str, room: int, orders: Iterable[Iterable[int]]) -> bytearray | None:
    """A mask of the characters to keep in `room` columns. `orders` list offsets by priority. None if all fit."""
    size = len(text)
    is_narrow = text.isascii()
    if size <= room and (is_narrow or cell_len(text) <= room):
        return None
    kept = bytearray(size)
    used = 1
    for order in orders:
        for place in order:
            if place >= size or kept[place]:
                continue
            more = (1 if is_narrow else cell_len(text[place])) - 1
            more += place > 0 and not kept[place - 1]
            more += place + 1 < size and not kept[place + 1]
            if used + more > room:
                break
            kept[place] = 1
            used += more
    return kept


def _begin_at_a_part(text: str, kept: bytearray, last: int, spans: Sequence[CharRange]) -> None:
    """Drop from the mask `kept` the cut name of a folder at the beginning: `…ces/a.md` becomes `…/a.md`.

    `last` is the start of the last part. Matches at `spans` stay.
    """
    if not all(kept[last:]):
        return
    first = last
    while first > 0 and kept[first - 1]:
        first -= 1
    slash = text.find("/", first, last)
    if not spans and slash == last - 1 and slash - first >= _LEAST_FOLDER:
        return  # The end of the only folder that shows is worth keeping.
    if slash > first and not any(start < slash and end > first for start, end in spans):
        kept[first:slash] = bytes(slash - first)


def _shortened_text(text: str, kept: bytearray) -> Shortened:
    """The kept characters of a text, with one `…` for each gap."""
    pieces: list[tuple[str, int]] = []
    place, size = 0, len(text)
    while place < size:
        end = kept.find(not kept[place], place)
        end = size if end < 0 else end
        pieces.append((text[place:end], place) if kept[place] else (GAP, -1))
        place = end
    return Shortened(tuple(pieces))


Plain = tuple[str, str]
"""A text and the name of its style."""


def fitted(
    rows: Sequence[tuple[Sequence[Plain | Name], Sequence[Plain | Name]]], width: int
) -> list[tuple[Sequence[Plain], Sequence[Plain]]]:
    """The cells of rows with their first names shortened to fit `width` columns. Different names look different."""
    names = [_first_name(left, right, width) for left, right in rows]
    short = iter(distinct([name for name in names if name is not None]))
    lefts = [
        _with_name(left, None if name is None else next(short)) for (left, _), name in zip(rows, names, strict=True)
    ]
    return [(left, [_plain(cell) for cell in right]) for left, (_, right) in zip(lefts, rows, strict=True)]


def _first_name(left: Sequence[Plain | Name], right: Sequence[Plain | Name], width: int) -> tuple[Name, int] | None:
    """The first name in the left cells of a row, and the columns of `width` that it may take. None without a name."""
    before = list(takewhile(lambda cell: not isinstance(cell, Name), left))
    if len(before) == len(left):
        return None
    name = left[len(before)]
    assert isinstance(name, Name)
    behind = sum(cell_len(cell[0]) for cell in left[len(before) + 1 :])
    room = width - sum(cell_len(cell[0]) for cell in (*before, *right))
    return name, max(1, room - min(behind, int(room * name.yields)))


def _plain(cell: Plain | Name) -> Plain:
    return cell[0], cell[1]


def _with_name(cells: Sequence[Plain | Name], short: Shortened | None) -> list[Plain]:
    """The cells with the pieces of the shortened name in place of the first name, matches highlighted."""
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
