"""Audit: what agents load, where the tokens go, what is wrong, and how it grew; fixes are previewed as a diff."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.binding import BindingType

from ctxtui.agents import what_if
from ctxtui.audit.fixes import Written, apply, preview, undo
from ctxtui.audit.reports.report import Report
from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.tui import audit_rows
from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.audit_tabs import ROWS, TABS, audited, logs
from ctxtui.tui.bindings import bindings
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Ask, Confirm
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.item_rows import Drawn


class Audit(ListScreen[AuditRow, tuple[str, int | None]]):
    """The tabs of an audit; returns the path and line to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("audit")
    NAME: ClassVar[str] = "audit"
    TABS: ClassVar[tuple[str, ...]] = TABS

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._report: Report | None = None
        # The rows of each tab for this audit.
        self._made: dict[str, list[AuditRow]] = {}
        # The rows of the tabs that the user must ask for.
        self._asked: dict[str, list[AuditRow]] = {}
        self._by_tokens = False
        self._written: list[tuple[Written, ...]] = []

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
    async def run_again(self) -> None:
        """Audit in a thread, and show the open tab."""
        session = self._desk.session
        if session is None:
            return
        self.tell("auditing …")
        try:
            self._report = await asyncio.to_thread(audited, session)
        except ContextError as error:
            self.fail(error)
            return
        self._made = {}
        await self._lay_out()

    @work(exclusive=True, group="audit-tab")
    async def show_tab(self) -> None:
        """Lay out the open tab."""
        await self._lay_out()

    async def _lay_out(self) -> None:
        session, report, tab = self._desk.session, self._report, self.tab
        if session is None or report is None:
            return
        if tab in self._asked:
            self.show(self._asked[tab], 0)
            return
        made = self._made
        try:
            if tab not in made:
                self.tell(f"reading the {tab} …")
                made[tab] = await asyncio.to_thread(ROWS[tab], report, session)
        except ContextError as error:
            self.show((), 0)
            self.fail(error)
            return
        # A newer audit shows its own rows.
        if made is self._made:
            self.show(made[tab], 0)

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
        """The detail of the row."""
        return item.detail

    def nothing(self) -> str:
        """What an empty list means: nothing wrong, or nothing that matches."""
        if self._report is None:
            return "auditing …"
        return super().nothing() if self.typed else "no findings: no text is lost, no number is far off"

    def action_sort(self) -> None:
        """Sort by tokens, or in audit order again."""
        self._by_tokens = not self._by_tokens
        self.keep(0)

    @work(exclusive=True, group="dialog")
    async def action_what_if(self) -> None:
        """Ask which file to touch, and show what agents load then."""
        hint = "a path in the project, such as src/x.py; it need not exist"
        path = await self.app.push_screen_wait(Ask("What if an agent touches", hint))
        if not path or self._report is None:
            return
        try:
            touched = what_if(self._report.result.agents, path.strip())
        except ContextError as error:
            self._desk.complain(error)
            return
        self._asked["touch"] = list(audit_rows.touch_rows(path.strip(), touched))
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
    async def action_fix(self) -> None:
        """Correct the number under the cursor, after the user confirms the diff."""
        row = self.rows.current
        await self._fix([row] if row is not None else [])

    @work(exclusive=True, group="dialog")
    async def action_fix_all(self) -> None:
        """Correct every wrong number in the rows shown."""
        await self._fix(self.rows.items)

    async def _fix(self, rows: Sequence[AuditRow]) -> None:
        session = self._desk.session
        fixes = [row.fix for row in rows if row.fix is not None]
        if session is None or not fixes:
            self.notify("no number to fix here")
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
        await self._after(f"wrote {', '.join(each.path for each in written)}; {key_for(self, 'undo')} undoes this")

    @work(exclusive=True, group="dialog")
    async def action_undo(self) -> None:
        """Undo the last fix."""
        session = self._desk.session
        if session is None or not self._written:
            self.notify("no fix to undo")
            return
        try:
            await asyncio.to_thread(undo, session.workspace.reader.root, self._written[-1])
        except ContextError as error:
            self._desk.complain(error)
            return
        written = self._written.pop()
        await self._after(f"undid the fix of {', '.join(each.path for each in written)}")

    async def _after(self, message: str) -> None:
        self.notify(plain(message), markup=False)
        await self._desk.refresh_workspace()
        self.run_again()
