"""Run audits for the Audit screen, and make the rows of a view when it is first opened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from threading import Event

from ctxtui.audit.history.history import History
from ctxtui.audit.reports.report import Report, with_known_starts
from ctxtui.audit.run import AuditOptions
from ctxtui.audit.slim.change import Change, Plan, Saved
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.audit.slim.plan import RULE_OF, make_plan
from ctxtui.audit.types import Finding
from ctxtui.core.base.cancel import Stopped, stopping
from ctxtui.core.base.wording import plural
from ctxtui.session.session import Session
from ctxtui.tui.audit.figure_rows import history_rows
from ctxtui.tui.audit.finding_rows import SAVING, finding_rows
from ctxtui.tui.audit.tabs import ROWS, WITH_GIT, WITH_STARTS, audit_project, history_of, read_change_rows
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.commands import VIEWS
from ctxtui.tui.widgets.fold_rows import Row

Planned = tuple[Plan, Saved | None]

ShowHistory = Callable[[History, list[Row]], Awaitable[None]]
"""Shows the history read so far, with its rows."""


class Audits:
    """The latest report and the rows of every view."""

    def __init__(self, desk: Desk) -> None:
        self.report: Report | None = None
        self.asked: dict[str, list[Row]] = {}
        """The rows of views that load on request."""
        self.progress = ""
        """How much of the history has been read, during the read."""
        self._desk = desk
        self._made: dict[str, list[Row]] = {}
        self._plan: Planned | None = None
        self._has_weighed = False

    def report_when_done(self) -> Report | None:
        """The newest report. None, with a message to the user, if no audit is done yet."""
        if self.report is None:
            self._desk.tell("the audit is not done yet")
        return self.report

    def saving_change(self, finding: Finding) -> Change | None:
        """The change of the plan that mends a finding, None if there is none."""
        changes = self._plan[0].changes if self._plan else ()
        fitting = (each for each in changes if each.tokens and each.path == finding.path)
        return next((each for each in fitting if RULE_OF[each.kind] == finding.rule), None)

    async def run(self, session: Session, weigh: tuple[str, ...]) -> AsyncIterator[Sequence[str] | None]:
        """Audit in a thread, and weigh the named MCP servers. Raises ContextError as `audit_project` does.

        Yields None once there is a first report, which may be that of the last background audit, and later the views
        whose rows are new.
        """
        # Shown until the new one is done: unlisted files may have changed since.
        if self.report is None and (known := self._desk.findings.known(session, self._desk.cwd)):
            self._replace_report(known)
            yield None
        # Consent to start servers holds for this process only.
        try:
            report = None if weigh else await self._large_report()
        except Stopped:
            return
        if report is None:
            # Leaving the screen or app stops running servers.
            with stopping() as check:
                asked = AuditOptions(cwd=self._desk.cwd, weigh=weigh)
                report = await asyncio.to_thread(audit_project, session, asked, check)
            self._desk.findings.accept(report, session, self._desk.cwd)
        is_first = self.report is None
        # The report with problems of reading.
        self._replace_report(self._desk.findings.known(session, self._desk.cwd) or report)
        self._has_weighed = bool(weigh)
        yield None if is_first else [view for views in VIEWS.values() for view in views]
        # The starts that the report only estimates are counted in full.
        with stopping() as check:
            known = await asyncio.to_thread(with_known_starts, report, session.workspace, check)
        if known is not report:
            self.report = known
            yield self.forget(*WITH_STARTS)
        if report.starts:
            self._plan = await self._make_plan(self.report or report, self._desk.now)
            yield self.forget("findings")

    async def _large_report(self) -> Report | None:
        """The newest snapshot's report, made by a subprocess. None for a small project. Raises Stopped at the end."""
        while True:
            try:
                return await self._desk.findings.large_report(self._desk.now, self._desk.cwd)
            except Stopped:
                # The snapshot or the start folder has changed.
                if self._desk.findings.is_closed:
                    raise

    def _replace_report(self, report: Report) -> None:
        """Take another report. Drops the plan and the rows of views, and the switches among the rows of logs."""
        self.report, self._made, self._plan = report, {}, None
        # Switches hold for the settings as they were read.
        self.asked["logs"] = [row for row in self.asked.get("logs", ()) if not row.change and row.group != SAVING]

    def forget(self, *views: str) -> Sequence[str]:
        """Drop the rows of views, so that they are made again. Returns the views."""
        for view in views:
            self._made.pop(view, None)
        return views

    def rows(self, view: str) -> list[Row] | None:
        """The rows that `make` kept for a view, then the rows in `asked`. None before `make`."""
        made = self._made.get(view)
        return None if made is None else [*made, *self.asked.get(view, ())]

    async def make(self, view: str, base_key: str, show: ShowHistory) -> bool:
        """Make the rows of a view. Keeps them and returns True if its report is still the newest.

        `base_key` is the key that chooses a base, `show` gets the history so far with its rows. Raises ContextError
        for a view of git's history without git.
        """
        report, session, made = self.report, self._desk.now, self._made
        if report is None:
            return False
        if view in WITH_GIT and self._desk.git.error is not None:
            # There may be a repository now.
            await self._desk.git.read(session.workspace.root)
            if self._desk.git.error is not None:
                raise self._desk.git.error
        rows = await (
            self._history(session, show) if view == "history" else self._rows(view, report, session, base_key)
        )
        # Another report begins with no rows.
        is_newest = made is self._made and (view not in WITH_STARTS or report is self.report)
        if is_newest:
            made[view] = rows
        return is_newest

    async def _rows(self, view: str, report: Report, session: Session, base_key: str) -> list[Row]:
        """The rows of any view but the history."""
        if view == "findings":
            return list(finding_rows(report, self._plan, not self._plan and bool(report.starts)))
        if view != "changes":
            return await asyncio.to_thread(ROWS[view], report, session)
        stop = Event()
        try:
            return await asyncio.to_thread(read_change_rows, report, session, self._desk.git.base, base_key, stop)
        finally:
            stop.set()

    async def _history(self, session: Session, show: ShowHistory) -> list[Row]:
        """The rows of the history. Recent commits show while older commits are read."""
        rows: list[Row] = []
        try:
            with stopping() as check:
                steps = history_of(session, self._desk.cwd, check)
                while (found := await asyncio.to_thread(next, steps, None)) is not None:
                    self.progress = f" · {len(found.commits):,} of {plural(found.total, 'commit')} read"
                    rows = list(history_rows(found))
                    await show(found, rows)
        finally:
            self.progress = ""
        return rows

    async def _make_plan(self, report: Report, session: Session) -> Planned:
        """The plan and its measured sum, of a large project by a subprocess."""
        # A subprocess has no consent to start servers.
        found = None if self._has_weighed else await self._desk.findings.large_plan(session, self._desk.cwd)
        if found is None:
            plan = await asyncio.to_thread(make_plan, session.workspace, report)
            found = plan, await asyncio.to_thread(known_saving, session.workspace, report)
        return found
