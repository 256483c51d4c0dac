"""The truncation ladder of code, data and plain text.

Of code, bodies go first, last symbol first, then code between symbols, then the outline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ctxtui.core.payload.cuts import element_cuts, largest_fitting, prose_cuts
from ctxtui.core.payload.ladder import Size, is_within, marked
from ctxtui.core.text.code.outline import MARK, Gap, elided, outline_gaps

_JSON: Final = frozenset(("json", "jsonl", "ndjson", "geojson", "har", "webmanifest"))
_PROSE: Final = frozenset(("txt", "text", "log", "rst", "adoc", "asciidoc", "org", "srt", "vtt"))

Places = Callable[[str, int], list[int]]
"""The offsets where a text may be cut, by the number of characters shown before it."""


def cut_symbols(path: str, body: str, size: Size, room: int) -> str:
    """A code text with as many bodies as fit into `room`, measured by `size`. At worst, the mark alone.

    Without an outline, a text loses lines from its end, JSON also elements, and plain text also words.
    """
    gaps = outline_gaps(path, body)
    places = _places_in(path)
    if not gaps and places is not None:
        return _cut_data(body, size, room, places)
    if not gaps:
        return cut_code(body, size, room)
    # The order in which gaps fill: code between symbols, then bodies, each from the beginning of the text.
    order = sorted(range(len(gaps)), key=lambda place: (gaps[place].is_body, place))

    def rung(shown: int, lines: int = 0) -> str:
        """The text with `shown` gaps of the outline filled, and with the first `lines` lines of the next gap."""
        full = frozenset(order[:shown])
        left = [gap for place, gap in enumerate(gaps) if place not in full]
        if lines:
            gap = gaps[order[shown]]
            left[left.index(gap)] = _rest(body, gap, lines)
        return marked(elided(body, left))

    outline = elided(body, gaps)
    if not is_within(marked(outline), size, room):
        return cut_code(outline, size, room)
    shown = largest_fitting(lambda count: is_within(rung(count), size, room), len(gaps) - 1)
    lines = body.count("\n", *gaps[order[shown]][:2]) - 1
    return rung(shown, largest_fitting(lambda count: is_within(rung(shown, count), size, room), lines))


def code_outline(path: str, body: str) -> str:
    """A code text without the bodies of its symbols, and the mark. The mark alone without an outline."""
    gaps = outline_gaps(path, body)
    return marked(elided(body, gaps) if gaps else "")


def _rest(body: str, gap: Gap, lines: int) -> Gap:
    """The rest of a gap whose first `lines` lines are shown. Its mark takes a line of its own."""
    start = gap.start
    for _ in range(lines):
        start = body.index("\n", start) + 1
    if not gap.mark or gap.mark.endswith("\n"):
        return gap._replace(start=start)
    rest = body[start : gap.end]
    indent = rest[: len(rest) - len(rest.lstrip(" \t"))]
    last = rest.rpartition("\n")[2]
    closing = "" if last.strip() or last == rest else f"\n{last}"
    return gap._replace(start=start, mark=f"{indent}{MARK}{closing}")


def cut_code(body: str, size: Size, room: int) -> str:
    """The longest prefix of whole lines, with the mark, whose `size` is at most `room`. At worst, the mark alone."""
    return marked(body[: _whole_lines(body, size, room)])


def _whole_lines(body: str, size: Size, room: int) -> int:
    """The length of the longest prefix of whole lines that fits into `room` with the mark, in characters."""

    def end(length: int) -> int:
        return body.rfind("\n", 0, length) + 1

    # Dropping only the last line gains nothing: the mark takes its place.
    return end(largest_fitting(lambda length: is_within(marked(body[: end(length)]), size, room), len(body) - 1))


def _cut_data(body: str, size: Size, room: int, places: Places) -> str:
    """As `cut_code`, but the line after the prefix is kept up to one of its `places` to cut."""
    start = _whole_lines(body, size, room)
    end = body.find("\n", start) + 1 or len(body)
    found = places(body[start:end], start)
    best = largest_fitting(lambda count: is_within(marked(body[: start + found[count - 1]]), size, room), len(found))
    return marked(body[: start + (found[best - 1] if best else 0)])


def _places_in(path: str) -> Places | None:
    """The function that finds where a line may be cut, by file type. None for code and unknown types."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return element_cuts if ending in _JSON else prose_cuts if ending in _PROSE else None
