"""Audit: what agents load, where the tokens go, what is wrong, and how it grew; with fixes previewed as a diff."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from ctxtui.agents import what_if
from ctxtui.audit.fixes import Written, apply, preview, undo
from ctxtui.audit.history.history import history
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.audit.totals import share_tree
from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.session.config import load_config
from ctxtui.session.session import Session
from ctxtui.tui import audit_rows, shown
from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.bindings import bindings
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Ask, Confirm
from ctxtui.tui.screens.overlay import Overlay
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.tui.widgets.tab_line import TabLine

TABS: Final = ("findings", "agents", "totals", "map", "matrix", "touch", "history")


class AuditList(Rows):
    """The rows of one tab."""

    def __init__(self) -> None:
        super().__init__(id="audit-rows")
        self.rows: Sequence[AuditRow] = ()

    def show(self, rows: Sequence[AuditRow], cursor: int | None = None) -> None:
        """Show other rows."""
        self.rows = rows
        self.set_count(len(rows), cursor)

    @property
    def current(self) -> AuditRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """The cells of a row."""
        return self.rows[index].left, self.rows[index].right


class Audit(Overlay[tuple[str, int | None]]):
    """The tabs of an audit; ends with the path and line to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("audit")
    NAME: ClassVar[str] = "audit"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._report: Report | None = None
        self._tab = TABS[0]
        self._rows: list[AuditRow] = []
        # What the tabs show of this audit, each laid out when it is first opened.
        self._made: dict[str, list[AuditRow]] = {}
        self._typed = ""
        self._by_tokens = False
        self._written: list[tuple[Written, ...]] = []
        self._touched: list[AuditRow] = [AuditRow(((f"{key_for(self, 'what_if')} asks for a file", "dim"),))]

    def compose(self) -> ComposeResult:
        """Tabs, filter, rows, the row under the cursor, and the keys."""
        with Vertical(classes="dialog -full"):
            yield TabLine(TABS, id="audit-tabs")
            yield FilterInput(placeholder="words of the rows to keep", id="query")
            yield AuditList()
            yield Static(Content("auditing …"), id="audit-text")
            yield KeyBar("audit")

    def on_mount(self) -> None:
        """Audit the project as it is now."""
        self.query_one(AuditList).focus()
        self.run_again()

    @work(exclusive=True, group="audit")
    async def run_again(self) -> None:
        """Audit in a thread, and show the open tab."""
        session = self._desk.session
        if session is None:
            return
        try:
            self._report = await asyncio.to_thread(_audited, session)
            self._made.clear()
        except ContextError as error:
            self._tell(f"{error.message}{f'; {error.hint}' if error.hint else ''}")
            return
        await self._lay_out()

    @work(exclusive=True, group="audit-tab")
    async def show_tab(self) -> None:
        """Lay the open tab out."""
        await self._lay_out()

    async def _lay_out(self) -> None:
        session, report = self._desk.session, self._report
        if session is None or report is None or not self.query(AuditList):
            return
        self.query_one(TabLine).open = self._tab
        try:
            if self._tab == "touch":
                rows = self._touched
            else:
                rows = await self._make(self._tab, report, session)
        except ContextError as error:
            self._rows = []
            self._show()
            self._tell(f"{error.message}{f'; {error.hint}' if error.hint else ''}")
            return
        if self.query(AuditList):
            self._rows = rows
            self._show(0)

    async def _make(self, tab: str, report: Report, session: Session) -> list[AuditRow]:
        if tab not in self._made:
            if tab == "history":
                self._tell("reading the history …")
            self._made[tab] = await asyncio.to_thread(_MAKERS[tab], report, session)
        return self._made[tab]

    def _show(self, cursor: int | None = None) -> None:
        words = self._typed.casefold().split()
        rows = [row for row in self._rows if all(word in row.text for word in words)]
        if self._by_tokens:
            rows.sort(key=lambda row: -row.tokens)
        self.query_one(AuditList).show(rows, cursor)
        self.on_rows_moved()

    def on_rows_moved(self) -> None:
        """Tell more of the row under the cursor."""
        row = self.query_one(AuditList).current
        if row is not None:
            self._tell(row.detail)
        elif self._report is not None:
            self._tell(
                "nothing found: no text is lost, no number is far off" if not self._typed else "nothing matches"
            )

    def _tell(self, text: str) -> None:
        for static in self.query("#audit-text").results(Static):
            static.update(shown.content(text))

    def action_next_tab(self) -> None:
        """The next tab."""
        self._step_tab(1)

    def action_previous_tab(self) -> None:
        """The tab before."""
        self._step_tab(-1)

    def _step_tab(self, step: int) -> None:
        self._tab = TABS[(TABS.index(self._tab) + step) % len(TABS)]
        self.query_one(TabLine).open = self._tab
        self.show_tab()

    @on(TabLine.Chosen)
    def _tab_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self._tab = event.name
        self.show_tab()

    def action_filter(self) -> None:
        """Type words to keep rows by."""
        self.query_one(FilterInput).focus()

    @on(Input.Changed, "#query")
    def _filter_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._typed = event.value
        self._show(0)

    @on(FilterInput.Command)
    def _filter_key(self, event: FilterInput.Command) -> None:
        event.stop()
        rows = self.query_one(AuditList)
        if event.name in ("up", "down"):
            getattr(rows, f"action_{event.name}")()
            return
        if event.name == "clear":
            self.query_one(FilterInput).value = ""
        rows.focus()

    def action_escape(self) -> None:
        """Leave the filter, then the screen."""
        if self._typed:
            self.query_one(FilterInput).value = ""
        else:
            self.dismiss(None)

    def action_sort(self) -> None:
        """By tokens, or back in the order of the audit."""
        self._by_tokens = not self._by_tokens
        self._show(0)

    @work(exclusive=True, group="dialog")
    async def action_what_if(self) -> None:
        """Ask what agents read when a file is touched."""
        hint = "a path of the project, such as src/x.py; it need not exist"
        path = await self.app.push_screen_wait(Ask("What if an agent touches", hint))
        if not path or self._report is None:
            return
        try:
            touched = what_if(self._report.result.agents, path.strip())
        except ContextError as error:
            self._desk.complain(error)
            return
        self._touched = list(audit_rows.touch_rows(path.strip(), touched))
        self._tab = "touch"
        self.show_tab()

    @work(exclusive=True, group="dialog")
    async def action_fix(self) -> None:
        """Write the right number in the place of the wrong one, after a look at the diff."""
        row = self.query_one(AuditList).current
        await self._fix([row] if row is not None else [])

    @work(exclusive=True, group="dialog")
    async def action_fix_all(self) -> None:
        """Write all numbers that are wrong among the rows shown."""
        await self._fix([row for row in self.query_one(AuditList).rows if row.fix is not None])

    async def _fix(self, rows: Sequence[AuditRow]) -> None:
        session = self._desk.session
        fixes = [row.fix for row in rows if row.fix is not None]
        if session is None or not fixes:
            self.notify("nothing here can be fixed by writing a number")
            return
        root = session.workspace.reader.root
        try:
            diff = await asyncio.to_thread(preview, root, fixes)
            if not await self.app.push_screen_wait(Confirm(f"{diff}\nWrite this?")):
                return
            written = await asyncio.to_thread(apply, root, fixes)
        except ContextError as error:
            self._desk.complain(error)
            return
        self._written.append(written)
        await self._after(f"wrote {', '.join(each.path for each in written)}; {key_for(self, 'undo')} takes it back")

    @work(exclusive=True, group="dialog")
    async def action_undo(self) -> None:
        """Take the last fix back."""
        session = self._desk.session
        if session is None or not self._written:
            self.notify("nothing was written")
            return
        try:
            await asyncio.to_thread(undo, session.workspace.reader.root, self._written[-1])
        except ContextError as error:
            self._desk.complain(error)
            return
        written = self._written.pop()
        await self._after(f"took back {', '.join(each.path for each in written)}")

    async def _after(self, message: str) -> None:
        self.notify(plain(message), markup=False)
        await self._desk.refresh_workspace()
        self.run_again()

    @on(Rows.Entered)
    def action_enter(self) -> None:
        """Go to the file and line."""
        row = self.query_one(AuditList).current
        if row is not None and row.path is not None:
            self.dismiss((row.path, row.line))


def _audited(session: Session) -> Report:
    # What could not be read of it was told at the start.
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return run_audit(session.workspace, session.budget, config)


def _map(report: Report, session: Session) -> list[AuditRow]:
    share = share_tree(session.workspace, report.counter, report.result.agents)
    return list(audit_rows.share_rows(share, share.tokens))


def _matrix(report: Report, session: Session) -> list[AuditRow]:
    by_path = session.workspace.by_path
    return list(
        audit_rows.matrix_rows(report, lambda path: by_path[path].path if path in by_path else path),
    )


def _history(_report: Report, session: Session) -> list[AuditRow]:
    workspace = session.workspace
    sources = {reference.path: reference.source for reference in workspace.references}
    found = history(workspace.root, session.budget.counter, sources=sources, on_notice=lambda _notice: None)
    return list(audit_rows.history_rows(found))


_MAKERS: dict[str, Callable[[Report, Session], list[AuditRow]]] = {
    "findings": lambda report, _: list(audit_rows.finding_rows(report)),
    "agents": lambda report, _: list(audit_rows.agent_rows(report)),
    "totals": lambda report, _: list(audit_rows.total_rows(report)),
    "map": _map,
    "matrix": _matrix,
    "history": _history,
}
