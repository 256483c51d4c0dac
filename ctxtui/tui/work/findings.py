"""Findings: the audit of the newest snapshot in the background.

A small project is audited in a thread while the user is idle, a larger one in a subprocess, which takes no time from
the keys and frees its memory when it ends.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.base.cancel import Stopped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.workers.process import WorkProcess
from ctxtui.session.session import Session
from ctxtui.tui.work.background import Host, SharedWork

if TYPE_CHECKING:
    from ctxtui.agents import Start
    from ctxtui.audit.reports.report import Report
    from ctxtui.audit.slim.change import Plan, Saved
    from ctxtui.audit.types import Finding

_Notices = tuple[list[Notice], tuple[Notice, ...]]
IDLE: Final = 0.8
"""Seconds without a key before the audit starts. After a long audit, the duration of that audit."""
LARGE: Final = 500
"""Projects with this many files are audited by a subprocess. Fewer files are audited before it has started."""


class ReportFacts(NamedTuple):
    """The newest report with the problems of reading, None before the first audit.

    `by_path` has the numbers of errors and warnings, `drifts` the badges of files with a wrong declared number.
    """

    report: Report | None = None
    by_path: Mapping[str, tuple[int, int]] = MappingProxyType({})
    drifts: Mapping[str, str] = MappingProxyType({})


class Findings:
    """Audits snapshots. `changed` is called with every new report, `notices` are the project's and the payload's."""

    def __init__(
        self, host: Host, changed: Callable[[], None], notices: Callable[[], _Notices] = lambda: ([], ())
    ) -> None:
        self.saving: Saved | None = None
        """The largest saving of the plan, once it is measured."""
        self.is_closed = False
        self._host, self._changed, self._notices = host, changed, notices
        # The newest report without the problems of reading, and its key.
        self._report: Report | None = None
        self._report_key: object = None
        # The last facts, with the report and the notices that they were made from.
        self._kept: tuple[Report, _Notices, ReportFacts] | None = None
        self._stop = threading.Event()
        self._auditing: WorkProcess | None = None
        self._reports: SharedWork[Report | None] = SharedWork()
        self._plans: SharedWork[tuple[Plan, Saved | None] | None] = SharedWork()
        self._starting, self._planning = WorkProcess(), WorkProcess()
        self._planning_turn = threading.Lock()
        self._has_counts = asyncio.Event()
        # The seconds that the last audit took, and the time from which the user counts as idle.
        self._took = 0.0
        self._idle_at = 0.0
        # Starts computed without a report, and their key.
        self._judging = asyncio.Lock()
        self._judged: tuple[object, tuple[Start, ...]] = (None, ())

    def request(self, session: Session, cwd: str) -> None:
        """Audit a snapshot with counted files and agents that start in the folder `cwd`, once the user is idle."""
        self._has_counts.set()
        self._idle_at = time.monotonic() + max(IDLE, self._took)
        if self._report_key != _audit_key(session, cwd):
            self.stop()
            self._host.start("findings", partial(self._audit_until_current, session, cwd))

    def user_active(self) -> None:
        """Stop an audit that runs in a thread of the app. It begins anew once the user pauses."""
        self._idle_at = time.monotonic() + max(IDLE, self._took)
        self._stop.set()

    def stop(self) -> None:
        """End the audit in progress. Starts and plans are still computed."""
        self._stop.set()
        process, self._auditing = self._auditing, None
        if process is not None:
            process.kill()

    def close(self) -> None:
        self.is_closed = True
        self.stop()
        self._starting.kill()
        self._planning.kill()

    @property
    def report(self) -> Report | None:
        """The newest report with the problems of reading, None before the first audit."""
        return self.facts.report

    @property
    def facts(self) -> ReportFacts:
        """Facts from the newest report and the notices as they are now, computed once for both."""
        report, notices = self._report, self._notices()
        if report is None:
            return ReportFacts()
        if self._kept is None or self._kept[0] is not report or self._kept[1] != notices:
            from ctxtui.audit.reports.report import with_problems  # noqa: PLC0415 - once there is a report

            whole = with_problems(report, *notices)
            facts = ReportFacts(whole, problem_counts(whole.findings), dict(_drifts(whole.findings)))
            self._kept = report, notices, facts
        return self._kept[2]

    def known(self, session: Session, cwd: str) -> Report | None:
        """The newest report if it is on this snapshot, counter, window and start folder, else None."""
        return self.report if self._report_key == _audit_key(session, cwd) else None

    def accept(self, report: Report, session: Session, cwd: str) -> None:
        """Keep a report as the newest, and measure its largest saving in the background."""
        self._report, self._report_key = replace(report, problems=()), _audit_key(session, cwd)
        self._judged = None, ()
        self.saving = None
        if report.starts:
            self._host.start("saving", partial(self._measure_saving, session, cwd, report))
        self._changed()

    async def _measure_saving(self, session: Session, cwd: str, report: Report) -> None:
        if is_large(session):
            planned = await self.large_plan(session, cwd)
            saving = planned[1] if planned else None
        else:
            saving = await asyncio.to_thread(_saving, session, report)
        if self._report_key == _audit_key(session, cwd) and saving is not None:
            self.saving = saving
            self._changed()

    async def starts(self, session: Session, cwd: str) -> tuple[Start, ...]:
        """The starts of agents from the newest or a cached report, else computed once per snapshot.

        A cached report becomes the newest. Raises ContextError for a folder outside the project.
        """
        await asyncio.to_thread(import_module, "ctxtui.session.dashboard")
        from ctxtui.session.dashboard import start_folder  # noqa: PLC0415 - imported in a thread, after the first frame

        cwd = await asyncio.to_thread(start_folder, session, cwd)
        key = _audit_key(session, cwd)
        # An audit judges the same loads, so it begins afterwards.
        async with self._judging:
            if key not in (self._report_key, self._judged[0]):
                report = await asyncio.to_thread(_recalled, session, cwd)
                if report is not None:
                    self.accept(report, session, cwd)
                else:
                    self._judged = key, await self._starts_in(session, cwd)
        report = self.known(session, cwd)
        return report.starts if report else self._judged[1]

    async def _starts_in(self, session: Session, cwd: str) -> tuple[Start, ...]:
        """Compute the starts, for a large project in a subprocess after the first count of its files."""
        from ctxtui.session.dashboard import starts_in  # noqa: PLC0415 - as above

        found = None
        if is_large(session):
            # Counting takes all cores. Judging afterwards need not count.
            await self._has_counts.wait()
            found = await asyncio.to_thread(_starts_apart, self._starting, session, cwd)
        return found if found is not None else await asyncio.to_thread(starts_in, session, cwd)

    async def _audit_until_current(self, session: Session, cwd: str) -> None:
        """Audit whenever the user is idle, until the newest report is on this snapshot, or an audit fails."""
        while self._report_key != _audit_key(session, cwd):
            while (left := self._idle_at - time.monotonic()) > 0 or self._judging.locked():
                await asyncio.sleep(max(0, left))
                async with self._judging:
                    pass
            try:
                if await self.large_report(session, cwd) is None:
                    await self._audit_here(session, cwd)
            except (ContextError, Stopped):
                # The Audit screen reports errors of the configuration.
                return

    async def large_report(self, session: Session, cwd: str) -> Report | None:
        """The report on a large project, cached or made by a subprocess. None for a small one, or a lost subprocess.

        All callers for one snapshot wait for the same subprocess. Raises ContextError as the audit does, and Stopped
        if the audit is stopped or another snapshot is audited instead.
        """
        if self.is_closed:
            raise Stopped
        if not is_large(session):
            return None
        return await self._reports.join(_audit_key(session, cwd), partial(self._make_large_report, session, cwd))

    async def large_plan(self, session: Session, cwd: str) -> tuple[Plan, Saved | None] | None:
        """The plan for a large project, by one subprocess for all callers. None for a small one or a lost subprocess.

        The plan of 100,000 files reads them all: in the app, their texts would stay in memory.
        """
        if self.is_closed or not is_large(session):
            return None
        work = partial(asyncio.to_thread, self._make_large_plan, session, cwd)
        return await self._plans.join(_audit_key(session, cwd), work)

    def _make_large_plan(self, session: Session, cwd: str) -> tuple[Plan, Saved | None] | None:
        from ctxtui.audit.cached.subprocess_audit import find_plan, run_apart  # noqa: PLC0415 - once there is a report

        # The project may change meanwhile, and a process serves one thread.
        with self._planning_turn, closing(self._planning):
            return run_apart(self._planning, find_plan, session.workspace, session.budget, cwd)

    async def _make_large_report(self, session: Session, cwd: str) -> Report | None:
        """The cached or new report. Stops an audit in progress, and raises Stopped if it is stopped itself."""
        self.stop()
        process = self._auditing = WorkProcess()
        report = await asyncio.to_thread(_recalled, session, cwd)
        report = report or await asyncio.to_thread(_audit_apart, process, session, cwd)
        if self._auditing is not process:
            raise Stopped
        self._auditing = None
        if report is not None:
            self.accept(report, session, cwd)
        return report

    async def _audit_here(self, session: Session, cwd: str) -> None:
        """Audit in a thread until the user is active. An incomplete report is dropped."""
        stop = self._stop = threading.Event()
        began = time.monotonic()
        try:
            report = await asyncio.to_thread(_audited, session, cwd, stop)
        finally:
            stop.set()
        if report.result.is_complete:
            self._took = time.monotonic() - began
            self.accept(report, session, cwd)


def is_large(session: Session) -> bool:
    return len(session.workspace.references) >= LARGE


def _audit_key(session: Session, cwd: str) -> tuple[object, ...]:
    """The cache key of a report: workspace, counter, window and start folder, but not the selection."""
    return session.workspace, session.budget.counter.key, session.budget.window, cwd


def _audited(session: Session, cwd: str, stop: threading.Event) -> Report:
    # The audit and its rules take tenths of a second to import: only once the app is up and idle.
    from ctxtui.audit.run import AuditOptions  # noqa: PLC0415
    from ctxtui.tui.audit.tabs import audit_project  # noqa: PLC0415

    return audit_project(session, AuditOptions(cwd=cwd), stop=stop)


def _audit_apart(process: WorkProcess, session: Session, cwd: str) -> Report | None:
    from ctxtui.audit.cached.subprocess_audit import audit_apart  # noqa: PLC0415 - as above

    with closing(process):
        return audit_apart(process, session.workspace, session.budget, cwd)


def _starts_apart(process: WorkProcess, session: Session, cwd: str) -> tuple[Start, ...] | None:
    from ctxtui.audit.cached.subprocess_audit import find_starts, run_apart  # noqa: PLC0415 - as above

    with closing(process):
        return run_apart(process, find_starts, session.workspace, session.budget, cwd)


def _saving(session: Session, report: Report) -> Saved | None:
    """The largest saving, None without any, or if the configuration is wrong."""
    from ctxtui.audit.slim.known_saving import known_saving  # noqa: PLC0415 - as above

    try:
        return known_saving(session.workspace, report)
    except ContextError:
        # The audit reports errors of the configuration.
        return None


def _recalled(session: Session, cwd: str) -> Report | None:
    """The cached report, None without one, or if the configuration is wrong."""
    from ctxtui.audit.run import AuditOptions  # noqa: PLC0415 - after the first frame, as above
    from ctxtui.tui.audit.tabs import recall_report  # noqa: PLC0415

    try:
        return recall_report(session, AuditOptions(cwd=cwd))
    except ContextError:
        # Agents start even if the configuration of the audit is wrong.
        return None


def problem_counts(findings: tuple[Finding, ...]) -> dict[str, tuple[int, int]]:
    """The numbers of errors and warnings by path. A finding with several places counts once in each file."""
    counts: dict[str, tuple[int, int]] = {}
    for finding in findings:
        paths = {place.path for place in finding.places} or ({finding.path} if finding.path else set())
        for path in paths if finding.severity != "info" else ():
            errors, warnings = counts.get(path, (0, 0))
            is_error = finding.severity == "error"
            counts[path] = (errors + is_error, warnings + (not is_error))
    return counts


def _drifts(findings: tuple[Finding, ...]) -> Iterator[tuple[str, str]]:
    """The path and the badge of each file whose declared number is wrong: `drift +38%`."""
    for finding in findings:
        if finding.rule == "token-drift" and finding.subject == "file" and finding.path:
            share = finding.fact.rpartition("(")[2].removesuffix(" %)")
            yield finding.path, f"drift {share}%" if finding.fact.endswith(" %)") else "drift"
