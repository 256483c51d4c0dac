"""A preview of the file that a row is about, read and laid out in a thread while the cursor rests."""

from __future__ import annotations

import asyncio

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Container

from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.preview_page import preview, title
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.work.debounce import DEBOUNCE

# From how many columns on there is room beside the rows; below them, with that many lines.
_WIDE = 120
_MEDIUM, _HIGH = 100, 36


class Preview(Container):
    """Shows the lines around the line of a row, below a title with the path."""

    page = getters.query_one(Page)

    _wanted: tuple[Session, AuditRow] | None = None

    def compose(self) -> ComposeResult:
        """The lines."""
        yield Page()

    def place(self) -> None:
        """Show the preview beside the rows of a wide screen, below them on a high one; elsewhere there is no room.

        A row without a file leaves its room to the rows.
        """
        width, height = self.app.size
        is_useful = self._wanted is not None and self._wanted[1].has_preview
        self.screen.set_class(is_useful and width >= _WIDE, "-beside")
        self.screen.set_class(is_useful and _MEDIUM <= width < _WIDE and height >= _HIGH, "-below")

    def want(self, session: Session | None, row: AuditRow | None) -> None:
        """Show the file of a row; nothing without one."""
        self._wanted = None if session is None or row is None else (session, row)
        self._lay_out()

    @on(Page.Resized)
    def _resized(self) -> None:
        self._lay_out()

    @work(exclusive=True, group="preview")
    async def _lay_out(self) -> None:
        await asyncio.sleep(DEBOUNCE)
        wanted, width = self._wanted, self.page.scrollable_content_region.width
        if wanted is not None and wanted[1].has_preview and width > 0:
            session, row = wanted
            lines = await asyncio.to_thread(preview, session.workspace, row, width)
            self.border_title = shown.content(shown.line(title(row)))
            self.page.show(lines, (row.path, row.line, row.group, width))
        # Only now: while keys repeat, the rows keep their width. A preview that appears is resized, and laid out.
        self.place()
