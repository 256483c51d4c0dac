"""The Audit screen: findings and what to do about them, starts of agents, shares of tokens, history."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widgets import Input

from ctxtui.audit.history.history import History
from ctxtui.core.base.errors import ContextError
from ctxtui.tui import shown
from ctxtui.tui.actions.dialogs import choose_base
from ctxtui.tui.actions.editor import open_editor
from ctxtui.tui.audit.dialogs import (
    Changes,
    actions_on,
    ask_server,
    ask_start_folder,
    ask_touched,
    capture_start,
    write_report,
)
from ctxtui.tui.audit.figure_rows import context_words
from ctxtui.tui.audit.finding_rows import problem_words
from ctxtui.tui.audit.pictures import Pictures
from ctxtui.tui.audit.run import Audits
from ctxtui.tui.audit.tabs import NOTHING, PREVIEWED, read_log_rows
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.commands import VIEWS
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.screens.dialogs import Choose
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.fold_rows import FoldRows, Row
from ctxtui.tui.widgets.picture import Picture
from ctxtui.tui.widgets.preview import Preview
from ctxtui.tui.widgets.tab_line import TabLine


class Audit(ListScreen[Row, tuple[str, int | None]]):
    """The tabs of an audit, and the views of each. Returns the path and line to go to."""

    BINDINGS = bindings("audit")
    NAME = "audit"
    TABS = tuple(VIEWS)

    def __init__(self, desk: Desk, group: str = "", view: str = "") -> None:
        """Show the view, by default the first one, with the group open."""
        super().__init__()
        self._desk, self._group, self._first_view = desk, group, view
        self.view = self.tab
        self._audits = Audits(desk)
        self.pictures = Pictures(desk)
        self.step_back = self.pictures.zoom_out
        # The filter text of each view.
        self._words: dict[str, str] = {}
        self._changes = Changes(desk)
        # The row of the change that was undone, until it is back.
        self._undone: Row | None = None
        # Whether the rows are of the time before a change made here.
        self._is_behind = False

    def body(self) -> ComposeResult:
        with Container(id="audit-body"):
            with Vertical(id="audit-rows"):
                yield self.pictures
                yield FoldRows(id="rows")
            yield Preview(id="preview")

    def on_mount(self) -> None:
        self.open_tab(self._first_view or self.view)
        self.run_again()

    @work(exclusive=True, group="audit")
    async def run_again(self, weigh: tuple[str, ...] = ()) -> None:
        """Audit in a thread, weigh the named MCP servers, and show the open view."""
        if self._audits.report is None or weigh:
            self.tell("starting the server, up to a minute …" if weigh else "auditing …")
        try:
            async for views in self._audits.run(self._desk.now, weigh):
                await self._show_made(views)
        except ContextError as error:
            self.fail(error)
        self._is_behind = False
        self.tell_row()

    async def _show_made(self, views: Sequence[str] | None) -> None:
        """Show the open view again if it is one of `views`. None stands for all views, after the first audit."""
        if views is not None and self.view not in views:
            return
        if self.view == "history":
            # In the worker that ends when the user leaves the view.
            self.show_tab()
        else:
            await self._lay_out(0 if views is None else None)

    def open_tab(self, name: str) -> None:
        """Open a tab with its first view, or a view by its name."""
        tab = name if name in VIEWS else next(tab for tab, views in VIEWS.items() if name in views)
        self._open_view(tab, name if tab != name else VIEWS[tab][0])

    def _open_view(self, tab: str, view: str) -> None:
        """Open a view with the filter last typed there."""
        self._words[self.view] = self.typed
        self.typed = self._words.get(view, "")
        with self.prevent(Input.Changed):
            self.query_one(FilterInput).value = self.typed
        self.view, line = view, self.query_one(TabLine)
        line.next_key, line.views, line.view = key_for(self, "view"), VIEWS[tab], view
        # No view shows rows of another.
        self.show((), 0)
        super().open_tab(tab)

    def action_view(self) -> None:
        views = VIEWS[self.tab]
        self._open_view(self.tab, views[(views.index(self.view) + 1) % len(views)])

    @work(exclusive=True, group="audit-tab")
    async def show_tab(self) -> None:
        await self._lay_out()

    async def _lay_out(self, cursor: int | None = 0) -> None:
        """Make the rows of the open view if need be, and show them with its picture, unless the view was left."""
        view, audits = self.view, self._audits
        if audits.report is None:
            return
        if audits.rows(view) is None:
            try:
                if not await audits.make(view, key_for(self, "base"), self._show_history):
                    # A newer audit shows its own rows.
                    return
            except ContextError as error:
                self.fail(error)
                return
        if view == self.view:
            await self.pictures.draw(view, audits.report, self._desk.now)
            self.show(audits.rows(view) or (), cursor)
            # The group that the user asked for opens once.
            group, self._group = self._group, ""
            place = next((n for n, row in enumerate(self.rows.items) if group and row.group == group), None)
            if place is not None:
                self.rows.move(place)
                self.rows.fold(True)

    async def _show_history(self, history: History, rows: list[Row]) -> None:
        await self.pictures.draw_history(history)
        self.show(rows, None if self.all_rows else 0)

    def action_pick(self) -> None:
        self.pictures.pick()

    def action_zoom_out(self) -> None:
        if not self.pictures.zoom_out():
            self.notify("nothing to zoom out of")

    @property
    def count(self) -> str:
        """The rows that a filter keeps, the numbers of problems, notes and ignored findings."""
        words = [super().count] if self.typed.strip() and self.has_rows else []
        if report := self._audits.report:
            ignored = len(report.result.ignored)
            words += [problem_words(report), *([f"{ignored:,} ignored"] if ignored else [])]
        words += ["auditing again …"] if self._is_behind else []
        return " · ".join(filter(None, words))

    @property
    def rows(self) -> FoldRows:
        return self.query_one("#rows", FoldRows)

    def show(self, items: Sequence[Row], cursor: int | None = None) -> None:
        super().show(items, cursor)
        if self._undone is not None and self._undone in self.rows.items:
            self.rows.move(self.rows.items.index(self._undone))
            self._undone = None
        self.on_resize()

    def action_enter(self) -> None:
        """Act on a row that acts, ask what to do about a finding or a change, or go to the file and line."""
        row = self.rows.current
        if row is not None and row.act:
            getattr(self, f"action_{row.act}")()
        elif row is not None and (row.finding is not None or row.change is not None):
            self._ask_action(row)
        elif row is not None and row.path is not None and not row.group:
            super().action_enter()
        else:
            self.notify("no file to go to here")

    @work(exclusive=True, group="dialog")
    async def _ask_action(self, row: Row) -> None:
        """Let the user choose an action on a row, and run it."""
        report = self._audits.report_when_done()
        if report is None:
            return
        saving = self._audits.saving_change(row.finding) if row.finding is not None else None
        actions = actions_on(row, report, saving)
        choices = [(name, action.about) for name, action in actions.items()]
        name = await self.app.push_screen_wait(Choose(row.told[0].text if row.told else row.text, lambda: choices))
        action = actions.get(name or "")
        if action is None:
            return
        if action.write is not None:
            if told := await self._changes.write(self.app, row, action.write):
                await self._audit_again(f"{told}; {key_for(self, 'undo')} undoes this here")
        elif action.copy:
            await self._copy(action.copy)
        elif action.run == "go":
            self.dismiss(self.destination(row))
        else:
            self.action_editor()

    @work(exclusive=True, group="dialog")
    async def action_copy(self) -> None:
        row, report = self.rows.current, self._audits.report
        if row is None or row.finding is None or report is None:
            self.notify("no finding to copy here")
        else:
            await self._copy(report.adviser.as_task(row.finding))

    async def _copy(self, text: str) -> None:
        from ctxtui.session.delivery.clipboard import copy  # noqa: PLC0415 - only to copy

        if self.app.is_web:
            self.notify("a page cannot reach your clipboard", severity="warning")
        elif told := await self._desk.complaining(asyncio.to_thread(copy, text)):
            self.notify(told)

    def destination(self, item: Row) -> tuple[str, int | None] | None:
        return None if item.path is None else (item.path, item.line)

    def detail(self, item: Row) -> str:
        """The detail or text of the row, or of the cell under a picture's cursor."""
        return self.pictures.detail or item.detail or " · ".join(each.text for each in item.told) or item.text.strip()

    def nothing(self) -> str:
        if self._audits.report is None:
            return "auditing …"
        if self._audits.rows(self.view) is None:
            return f"reading the {self.view} …"
        return super().nothing() if self.typed else NOTHING.get(self.view, "nothing to show")

    def action_sort(self) -> None:
        if self.pictures.covering is None:
            self.rows.by_tokens = not self.rows.by_tokens
            self.show_kept(0)
        else:
            self.notify("nothing to sort in a picture")

    @on(Picture.Moved)
    def tell_row(self) -> None:
        super().tell_row()
        for preview in self.query(Preview):
            preview.want(self._desk.session, self.rows.current if self.view in PREVIEWED else None)

    def on_resize(self) -> None:
        for preview in self.query(Preview):
            preview.place()

    @work(exclusive=True, group="dialog")
    async def action_what_if(self) -> None:
        """Ask for a path that an agent may touch, and show its loads then, once the audit is done."""
        report = self._audits.report_when_done()
        if report is not None and (rows := await self._desk.complaining(ask_touched(self.app, self._desk, report))):
            self._audits.asked["touch"] = rows
            self.open_tab("touch")

    @work(exclusive=True, group="audit-logs")
    async def action_read_logs(self) -> None:
        report = self._audits.report_when_done()
        if report is None:
            return
        self.open_tab("logs")
        self.tell("reading your transcripts …")
        self._audits.asked["logs"] = await asyncio.to_thread(read_log_rows, report, self._desk.now)
        if self.view == "logs":
            self.show_tab()

    @work(exclusive=True, group="dialog")
    async def action_base(self) -> None:
        await self._desk.complaining(choose_base(self._desk, self._desk.now, self.app, self._show_changes))

    def _show_changes(self) -> None:
        self._audits.forget("changes")
        self.open_tab("changes")

    @work(exclusive=True, group="dialog")
    async def action_export(self) -> None:
        report = self._audits.report_when_done()
        if report is not None and (told := await self._desk.complaining(write_report(self.app, report))):
            self.notify(told)

    @work(exclusive=True, group="dialog")
    async def action_editor(self) -> None:
        if open_editor(self._desk, self.app, self.pictures.file_and_line(self.rows.current)):
            await self._desk.refresh_workspace()
            self.run_again()

    @work(exclusive=True, group="dialog")
    async def action_start_folder(self) -> None:
        folder = await ask_start_folder(self.app, self._desk)
        if folder is not None:
            self._desk.start_in(folder)
            self.run_again()

    @work(exclusive=True, group="dialog")
    async def action_weigh(self) -> None:
        report = self._audits.report_when_done()
        word = await ask_server(self.app, self._desk, report.mcp.servers) if report is not None else None
        if word is not None:
            self.open_tab("servers")
            self.run_again((word,) if word else ())

    @work(exclusive=True, group="dialog")
    async def action_measure(self) -> None:
        """Start the agent under the cursor after a yes, and show what it sends below the predictions."""
        report, row = self._audits.report_when_done(), self.rows.current
        agent = (*row.within, row.group)[0] if row is not None else ""
        if report is None or not (
            rows := await self._desk.complaining(capture_start(self.app, self._desk, report, agent))
        ):
            return
        self._audits.asked["starts"] = rows
        self._group = rows[0].group
        self._open_view("agents", "starts")

    @work(exclusive=True, group="home")
    async def action_home_files(self) -> None:
        """Count the files that agents read in the user's home folder, or leave them out, and audit again."""
        await self._desk.switch_home()
        self.run_again()

    @property
    def heading(self) -> str:
        """The name of the screen, the folder where agents start, the history's progress, the files of the map."""
        place = f" in {shown.line(self._desk.cwd)}/" if self._desk.cwd else ""
        report = self._audits.report
        total = f" · {context_words(report)}" if report and report.totals.tokens and self.tab == "map" else ""
        return f"{super().heading}{place}{self._audits.progress}{total}"

    @work(exclusive=True, group="dialog")
    async def action_undo(self) -> None:
        if self._changes.is_empty:
            self.notify("nothing to undo here")
        elif undone := await self._changes.undo():
            told, self._undone = undone
            # The message of the change no longer holds.
            self.app.clear_notifications()
            await self._audit_again(told)

    async def _audit_again(self, told: str) -> None:
        self.notify(told)
        self._is_behind = True
        self.tell_row()
        await self._desk.refresh_workspace()
        self.run_again()

    action_audit = ListScreen.action_close
