"""A preview of the row's file, read and laid out in a thread while the cursor rests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from rich.segment import Segment
from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.strip import Strip

from ctxtui.audit.reports.excerpt import Excerpt, excerpt
from ctxtui.core.base.wording import plural
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.panels.view_pages import BOLD, DIM, PLAIN, diff_lines, wrap
from ctxtui.tui.widgets.fold_rows import Row
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.work.background import DEBOUNCE
from ctxtui.workspace.workspace import Workspace

_MARK = "▶"
# The least digits of a line number.
_NUMBER = 5
_LEAST = 10

# The least columns for a preview beside the rows, and the least lines for one below them.
_WIDE = 140
_HIGH = 20


def title(row: Row | None) -> str:
    if row is None or row.path is None or not row.has_preview:
        return ""
    return f"{row.path}:{row.line}" if row.line else row.path


def preview(workspace: Workspace, row: Row, width: int) -> list[Strip]:
    """The lines around the line of a row, or the diff of its change, `width` columns wide. Empty without a file."""
    if row.change is not None:
        return diff_lines(row.change.diff, width)
    if row.path is None or not row.has_preview:
        return []
    text = workspace.text(row.path)
    if text is None:
        return wrap("no text to show: the file is binary, unreadable or gone", width, DIM)
    return list(_lines(excerpt(text, row.path, row.line, row.finding), width))


def _lines(found: Excerpt, width: int) -> Iterator[Strip]:
    """The other places of a finding, then the numbered lines of its file, with a sign at those it is about."""
    if found.places:
        yield from wrap(f"also at {plural(len(found.places), 'place')}:", width, DIM)
        for place in found.places:
            yield from wrap(f"  {place.path}:{place.line}" if place.line else f"  {place.path}", width)
        yield Strip([])
    if not found.lines:
        yield from wrap("this file is empty", width, DIM)
    digits = max(_NUMBER, len(str(found.first + len(found.lines) - 1)))
    gutter = digits + 2 if width >= _LEAST + digits + 2 else 0
    for number, text in enumerate(found.lines, found.first):
        is_marked = number in found.marked
        # A wrapped line has its number and its sign once.
        label = f"{_MARK if is_marked else ' '}{number:>{digits}} "
        for strip in wrap(text, width - gutter, BOLD if is_marked else PLAIN):
            yield Strip([Segment(label[:gutter], BOLD if is_marked else DIM), *strip])
            label = " " * len(label)


class Preview(Container):
    """Shows the lines around the line of a row, below a title with the path."""

    page = getters.query_one(Page)

    _wanted: tuple[Session, Row] | None = None

    def compose(self) -> ComposeResult:
        yield Page()

    def place(self) -> None:
        """Show the preview beside the rows of a wide screen, else below the rows, unless the screen is low.

        A row without a file hides it, but not a group with texts, since these would wrap anew.
        """
        width, height = self.app.size
        row = self._wanted[1] if self._wanted is not None else None
        is_useful = row is not None and (row.has_preview or bool(row.group and row.told))
        self.screen.set_class(is_useful and width >= _WIDE, "-beside")
        self.screen.set_class(is_useful and width < _WIDE and height >= _HIGH, "-below")

    def want(self, session: Session | None, row: Row | None) -> None:
        self._wanted = None if session is None or row is None else (session, row)
        self._lay_out()

    @on(Page.Resized)
    @work(exclusive=True, group="preview")
    async def _lay_out(self) -> None:
        await asyncio.sleep(DEBOUNCE)
        if not self.query(Page):
            return  # the click that moved the cursor has left the screen as well
        page = self.page
        wanted, width = self._wanted, page.scrollable_content_region.width
        if wanted is not None and width > 0:
            session, row = wanted
            lines = await asyncio.to_thread(preview, session.workspace, row, width)
            if not page.is_attached:
                return
            self.border_title = shown.content(shown.line(title(row)))
            marked = next((n for n, line in enumerate(lines) if line.text.startswith(_MARK)), 0)
            at = max(0, marked - page.size.height // 3)
            page.show(lines, (row.path, row.line, row.group, width), at)
        # Only now: while keys repeat, the rows keep their width. A preview that appears is resized and laid out.
        self.place()
