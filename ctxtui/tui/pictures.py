"""The pictures of the Audit screen: the map, the matrix and the history, drawn if there is room for them."""

from __future__ import annotations

import asyncio
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from ctxtui.audit.reports.report import Report
from ctxtui.audit.totals import divided, share_tree
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.widgets.picture import Picture
from ctxtui.tui.widgets.treemap import Treemap

TABS: Final = ("map",)
_WIDTH: Final = 60
_HEIGHT: Final = 14


class Pictures(Vertical):
    """The picture of the open tab; on a small screen, and while words are typed, the rows of the tab serve."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(id="pictures")
        self._desk = desk
        # The audit that each picture shows.
        self._drawn: dict[str, Report] = {}

    def compose(self) -> ComposeResult:
        """All pictures, of which one is shown."""
        yield Treemap(self._mark, id="map")

    def _mark(self, id_: str) -> str:
        return shown.mark(self._desk.session, id_)

    async def draw(self, tab: str, report: Report, session: Session) -> None:
        """Show an audit in the picture of a tab, if it has one."""
        if tab == "map" and self._drawn.get(tab) is not report:
            self._drawn[tab] = report
            share = await asyncio.to_thread(share_tree, session.workspace, report.counter, report.result.agents)
            self.query_one(Treemap).show(share, shown.line(session.workspace.root.name or "/"))

    def open(self, tab: str, is_typed: bool, rows: Widget) -> None:
        """Show the picture of a tab, if it has one, instead of the rows."""
        size = self.screen.size
        is_open = tab in self._drawn and not is_typed and size.width >= _WIDTH and size.height >= _HEIGHT
        was_focused = rows.has_focus or any(picture.has_focus for picture in self.query(Picture))
        self.display = is_open
        rows.display = not is_open
        for picture in self.query(Picture):
            picture.display = picture.id == tab
        if was_focused:
            (self.current or rows).focus()

    @property
    def current(self) -> Picture | None:
        """The picture on the screen."""
        return next((each for each in self.query(Picture) if each.display), None) if self.display else None

    @property
    def detail(self) -> str:
        """The text about what is under the cursor, empty without a picture."""
        return self.current.detail if self.current is not None else ""

    async def enter(self) -> tuple[str, int | None] | None:
        """Show the sections of a file that was not divided yet; else, where to go."""
        session = self._desk.session
        picture = self.current
        if session is None or picture is None:
            return None
        if isinstance(picture, Treemap) and picture.current is not None:
            counter = self._drawn["map"].counter
            share = await asyncio.to_thread(divided, picture.current, session.workspace, counter)
            if share.children:
                picture.zoom_into(share)
                return None
        return (f"id:{picture.target}", None) if picture.target else None

    def pick(self) -> None:
        """Pick or drop what is under the cursor."""
        target = self.current.target if self.current is not None else ""
        if target:
            self._desk.attempt(lambda session: session.toggle(target))
            self.refresh_marks()

    def refresh_marks(self) -> None:
        """Show what is picked."""
        if self.current is not None:
            self.current.remark()

    def zoom_out(self) -> bool:
        """Show more of the map; returns whether there is more."""
        return isinstance(self.current, Treemap) and self.current.zoom_out()
