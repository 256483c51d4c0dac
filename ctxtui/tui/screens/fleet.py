"""The Fleet screen: the repositories of a run as a table. Returns the repository whose audit to open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.widgets import Static

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.fleet.overview import Overview, RepositoryRow, described, folder_at_hand
from ctxtui.tui import fleet_rows, shown
from ctxtui.tui.filtering import fold, read_filter
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.palette import foreground
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.rows import Drawn

Read = Callable[[int | None], Overview]


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of the table: run (None for the last), order, filter, repository under the cursor."""

    run: int | None = None
    order: str = next(iter(fleet_rows.ORDERS))
    typed: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class FleetChoice:
    """The folder of the repository whose audit to open, and the state of the table."""

    folder: Path
    view: TableState


class Fleet(ListScreen[RepositoryRow, FleetChoice]):
    """The table. `read` returns the overview of a run by its number, and raises ContextError."""

    BINDINGS = bindings("fleet")
    NAME = "fleet"
    PLACEHOLDER = "words of a name, place, agent or error"

    def __init__(self, read: Read, view: TableState) -> None:
        super().__init__(view.typed)
        self._read, self._view = read, view
        self._overview: Overview | None = None
        self._largest = 0

    def body(self) -> ComposeResult:
        yield Static(id="columns")
        yield from super().body()

    def on_mount(self) -> None:
        self._show(self._view.run, self._view.name)

    @work(exclusive=True, group="fleet")
    async def _show(self, run: int | None, name: str) -> None:
        """Read a run (None: the last one) and show it, with the cursor on the repository `name`."""
        self.tell("reading the results …")
        try:
            overview = await asyncio.to_thread(self._read, run)
        except ContextError as error:
            self.fail(error)
            return
        self._overview = overview
        self._view = replace(self._view, run=run)
        self._largest = max((row.start for row in overview.rows), default=0)
        self._arrange(name)

    def _arrange(self, name: str = "") -> None:
        """Sort and show the rows, with the cursor on the repository `name`, or on the first row."""
        if self._overview is None:
            return
        self.show(fleet_rows.ordered(self._overview.rows, self._view.order))
        self._go_to(name)
        self._title_columns()

    def _go_to(self, name: str) -> None:
        places = (place for place, row in enumerate(self.rows.items) if row.kept.name == name)
        self.rows.move(next(places, 0))

    @property
    def _current_name(self) -> str:
        return self.rows.current.kept.name if self.rows.current is not None else ""

    def find(self) -> None:
        """Show the matching repositories. Without words, the cursor stays."""
        name = "" if self.typed.strip() else self._current_name
        self.show_kept(0)
        if name:
            self._go_to(name)

    def _title_columns(self) -> None:
        text = Text(" ", no_wrap=True)
        for title, style in fleet_rows.titles(self._width, self._view.order, self._has_before):
            text.append(title, foreground(self.rows, style))
        self.query_one("#columns", Static).update(text, layout=False)

    @property
    def _width(self) -> int:
        # The first column holds the cursor's sign.
        return self.rows.scrollable_content_region.width - 1

    @property
    def _has_before(self) -> bool:
        return self._overview is not None and self._overview.before is not None

    def on_resize(self) -> None:
        self._title_columns()
        self.rows.refresh()

    @property
    def heading(self) -> str:
        if self._overview is None:
            return super().heading
        return f"{super().heading}   {self._overview.file.name}   {described(self._overview)}"

    @property
    def count(self) -> str:
        if self._overview is None:
            return ""
        failed = sum(bool(row.kept.error) for row in self._overview.rows)
        told = super().count if self.typed.strip() else plural(len(self._overview.rows), "repository")
        return f"{told}, {failed:,} failed" if failed else told

    def drawn(self, item: RepositoryRow) -> Drawn:
        return fleet_rows.row_cells(item, self._width, self._largest, self._has_before)

    def detail(self, item: RepositoryRow) -> str:
        return fleet_rows.detail(item)

    def nothing(self) -> str:
        if self._overview is None:
            return "reading the results …"
        again = key_for(self, "reload")
        return super().nothing() if self.typed else f"no repositories yet; {again} reads the results again"

    def kept(self, items: Sequence[RepositoryRow]) -> Sequence[RepositoryRow]:
        sought = read_filter(self.typed)
        return [row for row in items if sought.holds(fold(fleet_rows.search_text(row)))]

    def action_enter(self) -> None:
        """Open the audit of the repository, if its folder is on this machine."""
        if self.rows.current is not None:
            self._choose_repository(self.rows.current)

    @work(exclusive=True, group="fleet")
    async def _choose_repository(self, row: RepositoryRow) -> None:
        try:
            folder = await asyncio.to_thread(folder_at_hand, row.kept)
        except ContextError as error:
            self.notify(shown.sentence(error), severity="warning")
            return
        self.dismiss(FleetChoice(folder, replace(self._view, typed=self.typed, name=row.kept.name)))

    def action_sort(self) -> None:
        orders = [each for each in fleet_rows.ORDERS if self._has_before or each != "change"]
        place = orders.index(self._view.order) if self._view.order in orders else -1
        self._view = replace(self._view, order=orders[(place + 1) % len(orders)])
        self._arrange()

    def action_reload(self) -> None:
        self._show(self._view.run, self._current_name)

    def step_tab(self, step: int) -> None:
        """Go `step` runs forward to newer ones, or back if it is negative."""
        if self._overview is None:
            return
        runs = self._overview.runs
        place = runs.index(self._overview.run.id) + step
        if 0 <= place < len(runs):
            self._show(runs[place], self._current_name)
        else:
            self.notify("this is the last run" if step > 0 else "this is the first run")

    def action_escape(self) -> None:
        self.field_clear()

    def action_quit(self) -> None:
        self.dismiss(None)
