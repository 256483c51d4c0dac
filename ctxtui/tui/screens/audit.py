"""The Audit screen: starts, shares of tokens, findings and history. Fixes are previewed as a diff."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partialmethod
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.widgets import Input

from ctxtui.audit.history.history import History
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain
from ctxtui.tui import shown
from ctxtui.tui.actions.dialogs import choose_base
from ctxtui.tui.actions.editor import open_editor
from ctxtui.tui.audit.dialogs import complaining, server_to_weigh, start_folder, touched
from ctxtui.tui.audit.folds import Folds, unfolded
from ctxtui.tui.audit.pictures import Pictures
from ctxtui.tui.audit.report_file import write_report
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.audit.run import Audits
from ctxtui.tui.audit.tabs import NOTHING, PREVIEWED, TABS, hints, logs
from ctxtui.tui.audit.writing import Changes, Writing, fixing_row, fixing_rows, ignoring_row
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.item_rows import Drawn
from ctxtui.tui.widgets.preview import Preview
from ctxtui.tui.widgets.rows import Rows


class Audit(ListScreen[AuditRow, tuple[str, int | None]]):
    """The tabs of an audit. Returns the path and line to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("audit")
    NAME: ClassVar[str] = "audit"
    TABS: ClassVar[tuple[str, ...]] = TABS

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._audits = Audits(desk, self._show_made)
        self.pictures = Pictures(desk, self)
        self.step_back = self.pictures.zoom_out
        self._folds = Folds()
        # The filter text of each tab.
        self._words: dict[str, str] = {}
        self._changes = Changes(desk)

    def body(self) -> ComposeResult:
        with Container(id="audit-body"):
            with Vertical(id="audit-rows"):
                yield self.pictures
                yield from super().body()
            yield Preview(id="preview")

    def on_mount(self) -> None:
        self._audits.asked = hints(key_for(self, "what_if"), key_for(self, "read_logs"))
        self.run_again()

    @work(exclusive=True, group="audit")
    async def run_again(self, weigh: tuple[str, ...] = ()) -> None:
        """Audit in a thread, measure the named MCP servers, and show the open tab."""
        session = self._desk.session
        if session is None:
            return
        await self._audits.show_known(session)
        if self._audits.report is None or weigh:
            self.tell("starting the server, up to a minute …" if weigh else "auditing …")
        try:
            await self._audits.run(session, weigh)
        except ContextError as error:
            self.fail(error)

    async def _show_made(self, tabs: Sequence[str] | None) -> None:
        """Show the open tab if it is one of `tabs`, or for the first time."""
        if tabs is not None and self.tab not in tabs:
            return
        if self.tab == "history":
            # In the worker that ends when the user leaves the tab.
            self.show_tab()
        else:
            await self._lay_out(0 if tabs is None else None)

    def open_tab(self, name: str) -> None:
        """Open a tab with its filter text."""
        self._words[self.tab] = self.typed
        self.typed = self._words.get(name, "")
        with self.prevent(Input.Changed):
            self.query_one(FilterInput).value = self.typed
        super().open_tab(name)

    @work(exclusive=True, group="audit-tab")
    async def show_tab(self) -> None:
        await self._lay_out()

    async def _lay_out(self, cursor: int | None = 0) -> None:
        tab, audits = self.tab, self._audits
        if self._desk.session is None or audits.report is None:
            return
        if audits.rows(tab) is None:
            if cursor is not None:
                # Clear the rows of the previous tab.
                self.show((), 0)
            self.tell(f"reading the {tab} …")
            try:
                if not await audits.make(tab, key_for(self, "base"), self._show_part):
                    # A newer audit shows its own rows.
                    return
            except ContextError as error:
                self.fail(error)
                return
        if tab == self.tab:
            await self.pictures.draw(tab, audits.report, self._desk.session)
            self.show(audits.rows(tab) or (), cursor)

    async def _show_part(self, history: History, rows: list[AuditRow]) -> None:
        """Show the history read so far."""
        await self.pictures.draw_history(history)
        self.show(rows, None if self.all_rows else 0)

    def _in_picture(self, do: Callable[[Pictures], object]) -> None:
        do(self.pictures)

    action_pick = partialmethod(_in_picture, Pictures.pick)
    action_zoom_out = partialmethod(_in_picture, Pictures.back)

    @property
    def count(self) -> str:
        """The number of rows, matches and ignored findings."""
        kept, every = (sum(row.is_leaf for row in rows) for rows in (self.rows.items, self.all_rows))
        rows = f"{kept:,} of {every:,}" if self.typed.strip() else ""
        return " · ".join(filter(None, (rows, self._audits.ignored if self.tab == "findings" else "")))

    def drawn(self, item: AuditRow) -> Drawn:
        return self._folds.drawn(item, self.rows.scrollable_content_region.width)

    def kept(self, items: Sequence[AuditRow]) -> Sequence[AuditRow]:
        """The rows that match the filter, or those in open groups, sorted by tokens on request."""
        return self._folds.kept(items, self.typed)

    def show(self, items: Sequence[AuditRow], cursor: int | None = None) -> None:
        super().show(items, cursor)
        self.on_resize()

    def keep(self, cursor: int | None = None) -> None:
        """Show the rows that match. The cursor starts on the first row with content."""
        super().keep(cursor)
        if cursor == 0 and self.has_rows:
            self.rows.move(self._folds.first(self.rows.items))

    def fold(self, is_open: bool | None) -> bool:
        """Open or close the group under the cursor, or the group around the row."""
        group = self._folds.fold(self.all_rows, self.rows.current, is_open)
        if group is not None:
            self.keep()
            self.rows.move(next(place for place, each in enumerate(self.rows.items) if each is group))
        return group is not None

    def action_enter(self) -> None:
        """Open or close a group, open a tab, show the change of the plan, or go to the file and line."""
        row = self.rows.current
        if row is not None and row.tab:
            self.open_tab(row.tab)
        elif row is not None and row.change is not None:
            self.action_fix()
        elif row is not None and row.path is not None and not row.group:
            super().action_enter()
        else:
            self.notify("no file to go to here")

    def destination(self, item: AuditRow) -> tuple[str, int | None] | None:
        return None if item.path is None else (item.path, item.line)

    def detail(self, item: AuditRow) -> str:
        """The detail or text of the row, or of the cell under a picture's cursor."""
        return self.pictures.detail or item.detail or item.text.strip()

    def nothing(self) -> str:
        if self._audits.report is None:
            return "auditing …"
        return super().nothing() if self.typed else NOTHING.get(self.tab, f"reading the {self.tab} …")

    def action_sort(self) -> None:
        if self.pictures.instead is None:
            self._folds.by_tokens = not self._folds.by_tokens
            self.keep(0)
        else:
            self.notify("nothing to sort in a picture")

    def mark_columns(self, item: AuditRow) -> range:
        """A click anywhere on a group opens or closes it."""
        return range(self.app.size.width) if item.group else range(0)

    @on(Rows.MarkClicked)
    def _clicked(self) -> None:
        self.fold(None)

    def tell_row(self) -> None:
        super().tell_row()
        for preview in self.query(Preview):
            preview.want(self._desk.session, self.rows.current if self.tab in PREVIEWED else None)

    def on_resize(self) -> None:
        for preview in self.query(Preview):
            preview.place()

    @work(exclusive=True, group="dialog")
    async def action_what_if(self) -> None:
        """Ask which file to touch, and show the files that agents load then."""
        report = self._audits.when_done()
        if report is not None and (rows := await complaining(self._desk, touched(self.app, self._desk, report))):
            self._audits.asked["touch"] = rows
            self.open_tab("touch")

    @work(exclusive=True, group="audit-logs")
    async def action_read_logs(self) -> None:
        """Read the user's own transcripts, and show a summary."""
        session = self._desk.session
        if session is None:
            return
        self.open_tab("logs")
        self.tell("reading your transcripts …")
        self._audits.asked["logs"] = await asyncio.to_thread(logs, session)
        if self.tab == "logs":
            self.show_tab()

    @work(exclusive=True, group="dialog")
    async def action_base(self) -> None:
        """Choose the branch that changes are compared with, and compare."""
        if self._desk.session is not None:
            await choose_base(self._desk, self._desk.session, self.app, lambda: self._audits.forget("changes"))
            self.open_tab("changes")

    @work(exclusive=True, group="dialog")
    async def action_export(self) -> None:
        report = self._audits.when_done()
        if report is not None and (told := await complaining(self._desk, write_report(self.app, report))):
            self.notify(plain(told), markup=False)

    @work(exclusive=True, group="dialog")
    async def action_editor(self) -> None:
        """Open the file in the user's editor at the line, and audit again."""
        place = self.pictures.file(self.rows.current)
        if place is None:
            self.notify("no file to edit here")
        elif open_editor(self._desk, self.app, *place):
            await self._desk.refresh_workspace()
            self.run_again()

    @work(exclusive=True, group="dialog")
    async def action_start_folder(self) -> None:
        """Ask for the folder where agents start, and audit again."""
        folder = await start_folder(self.app, self._desk)
        if folder is not None:
            self._desk.start_in(folder)
            self.run_again()

    @work(exclusive=True, group="dialog")
    async def action_weigh(self) -> None:
        """Measure an MCP server that the user chooses, and show it."""
        report = self._audits.when_done()
        word = await server_to_weigh(self.app, self._desk, report) if report is not None else None
        if word is not None:
            self.open_tab("servers")
            self.run_again((word,) if word else ())

    @work(exclusive=True, group="home")
    async def action_home_files(self) -> None:
        """Count the files that agents read in the user's home folder, or leave them out, and audit again."""
        await self._desk.switch_home()
        self.run_again()

    @property
    def heading(self) -> str:
        """The name of the screen, the folder where agents start, and the progress of the history."""
        place = f" in {shown.line(self._desk.cwd)}/" if self._desk.cwd else ""
        return f"{super().heading}{place}{self._audits.progress}"

    @work(exclusive=True, group="dialog")
    async def action_fix(self) -> None:
        """Correct the numbers in the row or its group, or make the change, after the user confirms the diff."""
        row = self.rows.current
        where = "in this group" if row is not None and row.group else "here"
        await self._write(fixing_row(row, unfolded(self.all_rows, self.typed)), f"no number to fix {where}")

    @work(exclusive=True, group="dialog")
    async def action_fix_all(self) -> None:
        """Correct every wrong number of the tab, or of the filter's matches."""
        await self._write(fixing_rows(unfolded(self.all_rows, self.typed)), "no number to fix in this list")

    @work(exclusive=True, group="dialog")
    async def action_ignore(self) -> None:
        """Ignore the finding under the cursor, after the user gives a reason and confirms the diff."""
        row, report = self.rows.current, self._audits.when_done()
        if report is not None:
            nothing = "open the group: findings are ignored one by one" if row and row.group else "no finding here"
            await self._write(ignoring_row(row, report.findings), nothing)

    @work(exclusive=True, group="dialog")
    async def action_undo(self) -> None:
        if self._changes.is_empty:
            self.notify("nothing to undo here")
        else:
            await self._after(await self._changes.undo())

    async def _write(self, writing: Writing | None, nothing: str = "") -> None:
        """Write a change, or report that there is none."""
        if writing is None:
            self.notify(nothing)
        elif told := await self._changes.write(self.app, writing):
            await self._after(f"{told}; {key_for(self, 'undo')} undoes this")

    async def _after(self, told: str | None) -> None:
        if told is not None:
            self.notify(plain(told), markup=False)
            await self._desk.refresh_workspace()
            self.run_again()
