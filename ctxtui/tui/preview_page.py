"""The preview of the Audit screen: the file of the row under the cursor at its line, laid out in a thread."""

from __future__ import annotations

from collections.abc import Iterator

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ctxtui.audit.reports.excerpt import Excerpt, excerpt
from ctxtui.core.wording import plural
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.view_pages import BOLD, DIM, PLAIN, plain_lines, wrap
from ctxtui.workspace.workspace import Workspace

_MARK = "▶"
_MOST_PLACES = 6
_NUMBER = 5
_LEAST = 10


def title(row: AuditRow | None) -> str:
    """The file and line of a row; empty if there is nothing to preview."""
    if row is None or row.path is None or not row.has_preview:
        return ""
    return f"{row.path}:{row.line}" if row.line else row.path


def preview(workspace: Workspace, row: AuditRow, width: int) -> list[Strip]:
    """The lines of the row's file, or the change of a plan, `width` columns wide; the text is untrusted."""
    if row.change is not None:
        return plain_lines(row.change.diff, width)
    if row.path is None or not row.has_preview:
        return []
    text = workspace.text(row.path)
    if text is None:
        return wrap("this file cannot be read, or has gone", width, DIM)
    return list(_lines(excerpt(text, row.path, row.line, row.finding), width))


def _lines(shown: Excerpt, width: int) -> Iterator[Strip]:
    if shown.places:
        yield from wrap(f"also at {plural(len(shown.places), 'place')}:", width, DIM)
    for place in shown.places[:_MOST_PLACES]:
        yield from wrap(f"  {place.path}:{place.line}" if place.line else f"  {place.path}", width)
    if len(shown.places) > _MOST_PLACES:
        yield from wrap(f"  and {len(shown.places) - _MOST_PLACES:,} more", width, DIM)
    if shown.places:
        yield Strip([])
    if not shown.lines:
        yield from wrap("this file is empty", width, DIM)
    for number, line in enumerate(shown.lines, shown.first):
        is_marked = number in shown.marked
        yield from _numbered(line, number, is_marked, width)


def _numbered(line: str, number: int, is_marked: bool, width: int) -> Iterator[Strip]:
    """A line with its number; one that is marked has a sign and is bold."""
    gutter = width >= _LEAST + _NUMBER + 2
    style: Style = BOLD if is_marked else PLAIN
    for place, strip in enumerate(wrap(line, width - (_NUMBER + 2 if gutter else 0), style)):
        if not gutter:
            yield strip
            continue
        sign = _MARK if is_marked and not place else " "
        label = f"{sign}{number if not place else '':>{_NUMBER}} "
        yield Strip([Segment(label, style if is_marked else DIM), *strip])
