"""The truncation ladder of code: bodies go first, last symbol first, then code between symbols, then the outline."""

from __future__ import annotations

from ctxtui.core.payload.cuts import largest_fitting
from ctxtui.core.payload.ladder import Size, cut_code, cut_data, is_within, marked, places_in
from ctxtui.core.text.code.outline import MARK, Gap, elided, outline_gaps


def cut_symbols(path: str, body: str, size: Size, room: int) -> str:
    """A code text with as many bodies as fit into `room`, measured by `size`. At worst, the mark alone.

    Without an outline, a text loses lines from its end, JSON also elements, and plain text also words.
    """
    gaps = outline_gaps(path, body)
    places = places_in(path)
    if not gaps and places is not None:
        return cut_data(body, size, room, places)
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
