"""The pictures of the Audit screen, drawn if there is room: map, matrix and history."""

from __future__ import annotations

import asyncio
from typing import Final

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from ctxtui.audit.history.history import History
from ctxtui.audit.reports.report import Report
from ctxtui.audit.totals import share_tree, with_sections
from ctxtui.core.base.target import Target
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.widgets.chart import Chart
from ctxtui.tui.widgets.chart_layout import growth_of
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.fold_rows import Row
from ctxtui.tui.widgets.heat import Heat, heat_map
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.picture import Picture
from ctxtui.tui.widgets.rows import ItemRows
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.tui.widgets.treemap import Treemap

_VIEWS: Final = ("map", "matrix")
_WIDTH: Final = 60
_HEIGHT: Final = 14


class Pictures(Vertical):
    """The picture of the open view. Rows replace it on a small screen or with a filter."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(id="pictures")
        self._desk = desk
        # The audit that each drawn picture shows, None for the history.
        self._drawn: dict[str, Report | None] = {}

    def on_mount(self) -> None:
        """Update the picture when screen size, view, filter or cursor change."""
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._reveal())
        self.watch(self.screen.query_one(TabLine), "view", self._reveal, init=False)
        self.watch(self.screen.query_one(FilterInput), "value", self._reveal, init=False)
        self.watch(self._rows, "cursor", self._follow, init=False)

    def compose(self) -> ComposeResult:
        yield Treemap(self._mark, id="map")
        yield Heat(self._mark, id="matrix")
        yield Chart(id="history")

    @property
    def _rows(self) -> ItemRows[Row]:
        return self.screen.query_one("#rows", ItemRows)

    def _mark(self, id_: str) -> str:
        return shown.mark(self._desk.session, id_) if id_ else ""

    async def draw(self, view: str, report: Report, session: Session) -> None:
        """Show an audit in the map or the matrix. Other views, and a picture that shows this audit, stay."""
        if view not in _VIEWS or self._drawn.get(view) is report:
            return
        workspace, contexts = session.workspace, report.result.agents
        # A sentence in the rows says more than an empty picture.
        self._drawn.pop(view, None)
        if view == "map":
            share = await asyncio.to_thread(share_tree, workspace, report.counter, contexts)
            self.query_one(Treemap).show(share, shown.line(workspace.root.name or "/"))
            has_content = bool(share.tokens)
        else:
            heat = await asyncio.to_thread(heat_map, contexts, workspace.by_path)
            self.query_one(Heat).show(heat)
            has_content = bool(heat.rows)
        if has_content:
            self._drawn[view] = report
        self._reveal()

    async def draw_history(self, history: History) -> None:
        """Show a history as a chart above its rows, unless it has no curves."""
        drawn = await asyncio.to_thread(growth_of, history, shown.SOURCES)
        self.query_one(Chart).show(drawn)
        if drawn.curves:
            self._drawn["history"] = None
        self._reveal()

    def _reveal(self) -> None:
        """Show the picture of the open view if there is room: a history's above the rows, others in their place."""
        if not self.is_mounted or not self.screen.query("#rows"):
            return
        rows, view = self._rows, self.screen.query_one(TabLine).view
        size, was = self.screen.size, self.current
        has_room = size.width >= _WIDTH and size.height >= _HEIGHT
        is_open = view in self._drawn and not self.screen.query_one(FilterInput).value.strip() and has_room
        was_focused = rows.has_focus or any(picture.has_focus for picture in self.query(Picture))
        self.display = is_open
        rows.display = not is_open or view == "history"
        self.set_class(rows.display, "-above")
        rows.set_class(is_open, "-below")
        for picture in self.query(Picture):
            picture.display = picture.id == view
        self.screen.query_one(KeyBar).panel = view if is_open or view not in _VIEWS else ""
        if was_focused and was is not self.current:
            (self.current or rows).focus()
        elif not rows.display:
            self.call_after_refresh(self._take_focus, rows)

    def _take_focus(self, rows: Widget) -> None:
        if self.current is not None and not rows.display and self.screen.focused in (None, rows):
            self.current.focus()

    @property
    def current(self) -> Picture | None:
        """The picture on the screen, if any."""
        return next((each for each in self.query(Picture) if each.display), None) if self.display else None

    @property
    def covering(self) -> Picture | None:
        """The picture that takes the place of the rows, None if the rows show."""
        return self.current if not self._rows.display else None

    def file_and_line(self, row: Row | None) -> tuple[str, int] | None:
        """The path of the file under the cursor of the picture or of the row, and its line from 1, or None."""
        path, picture = row.path if row is not None else None, self.covering
        if picture is not None:
            path = f"id:{picture.target}"
        if path is None or not path.startswith("id:"):
            return None if path is None else (path, row.line or 1 if row is not None else 1)
        document = Target.parse(path.removeprefix("id:")).document
        reference = self._desk.now.workspace.by_id.get(document)
        return None if reference is None else (reference.path, 1)

    @property
    def detail(self) -> str:
        """The detail under the picture's cursor. Empty without one, or if the rows below the chart have focus."""
        picture = self.current
        return picture.detail if picture is not None and (picture.has_focus or picture.id != "history") else ""

    @on(Picture.Moved)
    def _follow(self) -> None:
        """Move the rows' cursor to the chart's commit. If the rows have focus, move the chart's cursor instead."""
        chart, rows = self.current, self._rows
        if not isinstance(chart, Chart):
            return
        if rows.has_focus:
            chart.select(rows.current.commit if rows.current is not None else "")
        else:
            place = next((n for n, row in enumerate(rows.items) if row.commit and row.commit == chart.commit), None)
            rows.move(rows.cursor if place is None else place)

    @on(Picture.Entered)
    @work(exclusive=True, group="audit-tab")
    async def _entered(self) -> None:
        """Go to the file under the picture's cursor, or on the map zoom into the sections of a file."""
        picture = self.current
        if picture is None:
            return
        report = self._drawn.get("map")
        if isinstance(picture, Treemap) and picture.current is not None and report is not None:
            share = await asyncio.to_thread(with_sections, picture.current, self._desk.now.workspace, report.counter)
            if share.children:
                picture.zoom_into(share)
                return
        place = picture.path if isinstance(picture, Chart) else picture.target and f"id:{picture.target}"
        if place:
            self.screen.dismiss((place, None))
        else:
            self.notify("no file to go to here")

    def pick(self) -> None:
        """Pick or drop the file under the picture's cursor, or tell the user why not."""
        picture = self.covering
        target = picture.target if picture is not None else ""
        if picture is None:
            self.notify("the map and the matrix pick; go to a file to pick it")
        elif target:
            self._desk.attempt(lambda session: session.toggle(target))
            picture.redraw_marks()
        elif isinstance(picture, Treemap):
            self.notify("zoom in to pick: this stands for several files")
        else:
            self.notify("only files of the project can be picked")

    def zoom_out(self) -> bool:
        """Zoom out of the map. Returns whether it was zoomed in."""
        return isinstance(self.current, Treemap) and self.current.zoom_out()
