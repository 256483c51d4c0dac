"""Task filters: reduce a document to some of its tasks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from ctxtui.core.text.markdown.document import Document

TASK_FILTERS: Final[Mapping[str, str]] = {
    "open": "open tasks only, blocked ones included",
    "blocked": "blocked tasks only",
    "done": "done tasks only",
    "not-done": "everything but done tasks",
}
"""The filters that can narrow a pick, and their meaning."""


@cache
def _kept_statuses() -> Mapping[str, frozenset[str]]:
    from ctxtui.core.text.markdown.tasks import BLOCKED, DONE, TODO  # noqa: PLC0415 - most picks are not filtered

    undone = frozenset({TODO, BLOCKED})
    return {"open": undone, "blocked": frozenset({BLOCKED}), "done": frozenset({DONE}), "not-done": undone}


def useful_filters(document: Document, is_picked: Sequence[bool]) -> tuple[str, ...]:
    """The filters that keep any task in the picked parts, and `not-done` if it drops any. `is_picked` is by part."""
    from ctxtui.core.text.markdown.tasks import DONE  # noqa: PLC0415 - as in `_kept_statuses`

    starts, lines = [part.start for part in document.parts], document.scan.lines
    offsets = ((task.status, document.body_start + lines.start(task.line)) for task in document.tasks)
    inside = {status for status, offset in offsets if is_picked[bisect_right(starts, offset) - 1]}
    return tuple(
        name
        for name, wanted in _kept_statuses().items()
        if (DONE in inside if name == "not-done" else wanted & inside)
    )


def filtered_pieces(document: Document, name: str, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int] | str]:
    """The ranges, in characters, that the filter `name` (of `TASK_FILTERS`) keeps of others, and line ends between.

    Task filters keep the matching tasks, their parent tasks, and the headings above them. `not-done` keeps everything
    outside done tasks, frontmatter included.
    """
    from ctxtui.core.text.markdown.tasks import line_owners  # noqa: PLC0415 - as in `_kept_statuses`

    starts, body = document.scan.lines, document.body_start
    head = [(start, min(end, body)) for start, end in ranges if start < body] if name == "not-done" else []
    bounds = [(max(0, start - body), end - body) for start, end in ranges if end > body]
    inside = {line for start, end in bounds for line in range(starts.at(start), starts.at(end - 1) + 1)}
    owners = line_owners(document.items, starts.split(document.body))
    wanted = _with_ancestors(document, _kept_statuses()[name])
    if name == "not-done":
        dropped = {line for line, owner in enumerate(owners) if owner is not None and owner not in wanted}
        kept = inside - _but_last_blanks(document, dropped)
    else:
        kept = {line for line, owner in enumerate(owners) if owner in wanted} & inside
        kept |= _headings_above(document, kept) & inside
    return [*head, *_pieces_of_lines(document, sorted(kept))]


def _line_text(document: Document, line: int) -> str:
    """A line of the body, counted from 0, with its line end."""
    return document.text[slice(*_line_range(document, line))]


def _line_range(document: Document, line: int) -> tuple[int, int]:
    lines, body = document.scan.lines, document.body_start
    return body + lines.start(line), body + lines.start(line + 1)


def _with_ancestors(document: Document, wanted: frozenset[str]) -> set[int]:
    """The positions of tasks with a `wanted` status, and of all tasks above them."""
    kept: set[int] = set()
    for place, task in enumerate(document.tasks):
        above: int | None = place if task.status in wanted else None
        while above is not None and above not in kept:
            kept.add(above)
            above = document.tasks[above].parent
    return kept


def _but_last_blanks(document: Document, dropped: set[int]) -> set[int]:
    """The `dropped` lines without blank lines at the end of a run: these separate the text before and after it."""
    result = set(dropped)
    for line in sorted(dropped, reverse=True):
        if line + 1 not in result and not _line_text(document, line).strip():
            result.discard(line)
    return result


def _headings_above(document: Document, lines: Iterable[int]) -> set[int]:
    """The lines of all headings of the sections around some lines, counted from 0 in the body."""
    body = document.body_start
    offsets = sorted(body + document.scan.lines.start(line) for line in lines)
    ends = {block.start: block.end for block in document.scan.blocks if block.kind == "heading"}
    found: set[int] = set()
    place = 0
    for part in document.parts:
        while place < len(offsets) and offsets[place] < part.start:
            place += 1
        if part.level and place < len(offsets) and offsets[place] < part.end:
            first = document.scan.lines.at(part.start - body)
            found.update(range(first, ends.get(first, first + 1)))
    return found


def _pieces_of_lines(document: Document, lines: Sequence[int]) -> Iterator[tuple[int, int] | str]:
    """The ranges of the lines. A line end precedes each that was not adjacent to the last, unless it is a bullet."""
    for place, line in enumerate(lines):
        if place and line > lines[place - 1] + 1 and document.items.lines[line].kind != "bullet":
            before = _line_text(document, lines[place - 1])
            yield "" if not before.strip() else "\r\n" if before.endswith("\r\n") else "\n"
        yield _line_range(document, line)
