"""Audit: what agents load, where the tokens go, what is wrong, and how it grew; fixes are previewed as a diff."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partialmethod
from typing import ClassVar

from textual import work
from textual.binding import BindingType

from ctxtui.agents import what_if
from ctxtui.audit.known_starts import with_known_starts
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import Asked
from ctxtui.audit.touch import touch_notices
from ctxtui.core.cancel import stopping
from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.core.wording import plural
from ctxtui.session.session import Session
from ctxtui.tui import audit_rows, shown
from ctxtui.tui.audit_changes import Changes, Writing, fixing, ignoring, making
from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.audit_tabs import ROWS, TABS, WITH_STARTS, audited, history_of, logs
from ctxtui.tui.bindings import bindings
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.pictures import Pictures
from ctxtui.tui.screens.dialogs import Ask
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.server_rows import HOME, ask_weigh
from ctxtui.tui.widgets.item_rows import Drawn
from ctxtui.workspace.resolve import resolve_folder


class Audit(ListScreen[AuditRow, tuple[str, int | None]]):
    """The tabs of an audit; returns the path and line to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("audit")
    NAME: ClassVar[str] = "audit"
    TABS: ClassVar[tuple[str, ...]] = TABS

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.pictures = Pictures(desk, self)
        self.above_rows, self.step_back = (self.pictures,), self.pictures.zoom_out
        self._report: Report | None = None
        # The rows of each tab for this audit.
        self._made: dict[str, list[AuditRow]] = {}
        # The rows of the tabs that the user must ask for.
        self._asked: dict[str, list[AuditRow]] = {}
        self._by_tokens = False
        self._read = ""
        self._changes = Changes(desk)

    def on_mount(self) -> None:
        """Audit the project as it is now."""
        self._asked = {
            "touch": [AuditRow(((f"{key_for(self, 'what_if')} asks which file to touch", "dim"),))],
            "logs": [
                AuditRow(((f"{key_for(self, 'read_logs')} reads your own transcripts of this project", "dim"),))
            ],
        }
        self.run_again()

    @work(exclusive=True, group="audit")
    async def run_again(self, weigh: tuple[str, ...] = ()) -> None:
        """Audit in a thread, weighing MCP servers if they are named, and show the open tab."""
        session = self._desk.session
        if session is None:
            return
        await self._show_known(session)
        if self._report is None or weigh:
            self.tell("starting the server, up to a minute …" if weigh else "auditing …")
        try:
            # Who leaves the screen or the app does not wait for a server.
            with stopping() as check:
                asked = Asked(cwd=self._desk.cwd, weigh=weigh)
                self._report = await asyncio.to_thread(audited, session, asked, check)
        except ContextError as error:
            self.fail(error)
            return
        self._desk.findings.take(self._report, session, self._desk.cwd)
        self._made = {}
        if self.tab == "history":
            # In the worker that ends when the tab is left.
            self.show_tab()
        else:
            await self._lay_out(None)
        await self._know_starts(session, self._report)

    async def _show_known(self, session: Session) -> None:
        """Show the audit made in the background until this one is done: files not listed may have changed."""
        if self._report is None:
            self._report = self._desk.findings.known(session, self._desk.cwd)
            await self._lay_out()

    async def _know_starts(self, session: Session, report: Report) -> None:
        """Count the starts whole if they are estimates, and show that as soon as it is known."""
        with stopping() as check:
            known = await asyncio.to_thread(with_known_starts, report, session.workspace, check)
        if known is report:
            return
        self._report = known
        if self.tab == "history":
            # It is being read; the other tabs are laid out when they are opened.
            for tab in set(self._made) - {"history"}:
                del self._made[tab]
        else:
            self._made = {tab: rows for tab, rows in self._made.items() if tab not in WITH_STARTS}
            await self._lay_out(None)

    @work(exclusive=True, group="audit-tab")
    async def show_tab(self) -> None:
        """Lay out the open tab."""
        await self._lay_out()

    async def _lay_out(self, cursor: int | None = 0) -> None:
        session, report, tab = self._desk.session, self._report, self.tab
        if session is None or report is None:
            return
        if tab in self._asked:
            self.show(self._asked[tab], 0)
            return
        made = self._made
        try:
            if tab == "history" and tab not in made:
                made[tab] = await self._read_history(session)
            elif tab not in made:
                self.tell(f"reading the {tab} …")
                made[tab] = await asyncio.to_thread(ROWS[tab], report, session)
        except ContextError as error:
            self.show((), 0)
            self.fail(error)
            return
        # A newer audit shows its own rows.
        if made is self._made:
            await self.pictures.draw(tab, report, session)
            self.show(made[tab], cursor)

    def _in_picture(self, do: Callable[[Pictures], object]) -> None:
        do(self.pictures)

    action_pick = partialmethod(_in_picture, Pictures.pick)
    action_zoom_out = partialmethod(_in_picture, Pictures.zoom_out)

    @property
    def count(self) -> str:
        """How many rows are shown, and how many findings are ignored."""
        count = len(self._report.result.ignored) if self._report and self.tab == "findings" else 0
        return " · ".join(filter(None, (super().count, f"{count:,} ignored" if count else "")))

    async def _read_history(self, session: Session) -> list[AuditRow]:
        """The rows of the history; those of the newest commits are shown while the older ones are read."""
        rows: list[AuditRow] = []
        self.show((), 0)
        self.tell("reading the history …")
        try:
            with stopping() as check:
                steps = history_of(session, self._desk.cwd, check)
                while (found := await asyncio.to_thread(next, steps, None)) is not None:
                    self._read = f" · {len(found.commits):,} of {plural(found.total, 'commit')} read"
                    await self.pictures.draw_history(found)
                    self.show(list(audit_rows.history_rows(found)), None if rows else 0)
                    rows = list(self.all_rows)
        finally:
            self._read = ""
        return rows

    def drawn(self, item: AuditRow) -> Drawn:
        """The cells of a row."""
        return item.left, item.right

    def text_of(self, item: AuditRow) -> str:
        """The text that a filter searches: the row and its detail."""
        return item.text

    def kept(self, items: Sequence[AuditRow]) -> Sequence[AuditRow]:
        """The rows that contain the words typed, sorted by tokens if the user asked for it."""
        rows = super().kept(items)
        return sorted(rows, key=lambda row: (not self.is_heading(row), -row.tokens)) if self._by_tokens else rows

    def is_heading(self, item: AuditRow) -> bool:
        """The column names of the matrix."""
        return self.tab == "matrix" and item.path is None

    def destination(self, item: AuditRow) -> tuple[str, int | None] | None:
        """The file and line."""
        return None if item.path is None else (item.path, item.line)

    def detail(self, item: AuditRow) -> str:
        """The detail of the row, or of what is under the cursor in a picture."""
        return self.pictures.detail or item.detail

    def nothing(self) -> str:
        """What an empty list means: nothing wrong, or nothing that matches."""
        if self._report is None:
            return "auditing …"
        return super().nothing() if self.typed else "no findings: no text is lost, no number is far off"

    def action_enter(self) -> None:
        """Go to the file and line, or show the change of the plan."""
        row = self.rows.current
        if row is not None and row.change is not None:
            self.action_fix()
        else:
            super().action_enter()

    def action_sort(self) -> None:
        """Sort by tokens, or in audit order again."""
        self._by_tokens = not self._by_tokens
        self.keep(0)

    @work(exclusive=True, group="dialog")
    async def action_what_if(self) -> None:
        """Ask which file to touch, and show what agents load then."""
        hint = "a path in the project, such as src/x.py; it need not exist"
        path = await self.app.push_screen_wait(Ask("What if an agent touches", hint))
        session = self._desk.session
        if not path or self._report is None or session is None:
            return
        try:
            touched = what_if(self._report.result.agents, path.strip())
        except ContextError as error:
            self._desk.complain(error)
            return
        notices = touch_notices(session.workspace, path.strip(), touched)
        self._asked["touch"] = list(audit_rows.touch_rows(path.strip(), touched, notices))
        self.open_tab("touch")

    @work(exclusive=True, group="audit-logs")
    async def action_read_logs(self) -> None:
        """Read the user's own transcripts, and show what they say."""
        session = self._desk.session
        if session is None:
            return
        self.open_tab("logs")
        self.tell("reading your transcripts …")
        self._asked["logs"] = await asyncio.to_thread(logs, session)
        if self.tab == "logs":
            self.show_tab()

    @work(exclusive=True, group="dialog")
    async def action_start_folder(self) -> None:
        """Ask for the folder where agents start, and audit again."""
        session = self._desk.session
        if session is None:
            return
        workspace = session.workspace

        def check(name: str) -> None:
            resolve_folder(workspace, name.strip(), workspace.root)

        hint = "a folder of the project, such as tests; empty for its root"
        name = await self.app.push_screen_wait(Ask("Where do agents start?", hint, self._desk.cwd, check))
        if name is not None:
            self._desk.start_in(resolve_folder(workspace, name.strip(), workspace.root))
            self.run_again()

    @work(exclusive=True, group="dialog")
    async def action_weigh(self) -> None:
        """Weigh an MCP server that the user chooses, and show it."""
        if self._report is None:
            return
        session = self._desk.session
        is_read = session is not None and session.workspace.scope.home
        word = await ask_weigh(self.app, self._report.mcp.servers, is_read)
        if word is None:
            return
        if word == HOME:
            await self._desk.switch_home()
        self.open_tab("servers")
        self.run_again(() if word == HOME else (word,))

    @work(exclusive=True, group="home")
    async def action_home_files(self) -> None:
        """Count what agents read in the user's home folder, or leave it out, and audit again."""
        await self._desk.switch_home()
        self.run_again()

    @property
    def heading(self) -> str:
        """The name of the screen, the folder where agents start, and how much of the history has been read."""
        place = f" in {shown.line(self._desk.cwd)}/" if self._desk.cwd else ""
        return f"{super().heading}{place}{self._read}"

    @work(exclusive=True, group="dialog")
    async def action_fix(self) -> None:
        """Correct the number under the cursor, or make the change of the plan, after the user confirms the diff."""
        row = self.rows.current
        if row is not None and row.change is not None:
            await self._write(making(row.change))
        else:
            await self._fix([row] if row is not None else [])

    @work(exclusive=True, group="dialog")
    async def action_fix_all(self) -> None:
        """Correct every wrong number in the rows shown."""
        await self._fix(self.rows.items)

    async def _fix(self, rows: Sequence[AuditRow]) -> None:
        fixes = [row.fix for row in rows if row.fix is not None]
        if fixes:
            await self._write(fixing(fixes))
        else:
            self.notify("no number to fix here")

    @work(exclusive=True, group="dialog")
    async def action_ignore(self) -> None:
        """Ignore the finding under the cursor, after the user gives a reason and confirms the diff."""
        report, row = self._report, self.rows.current
        if report is None or row is None or row.finding is None:
            self.notify("no finding to ignore here")
        else:
            await self._write(ignoring(row.finding, report.findings))

    @work(exclusive=True, group="dialog")
    async def action_undo(self) -> None:
        """Undo the last fix, ignore or change."""
        if self._changes.is_empty:
            self.notify("nothing to undo here")
        else:
            await self._after(await self._changes.undo())

    async def _write(self, writing: Writing) -> None:
        told = await self._changes.write(self.app, writing)
        await self._after(told and f"{told}; {key_for(self, 'undo')} undoes this")

    async def _after(self, told: str | None) -> None:
        """Tell what changed, and audit again."""
        if told is not None:
            self.notify(plain(told), markup=False)
            await self._desk.refresh_workspace()
            self.run_again()
