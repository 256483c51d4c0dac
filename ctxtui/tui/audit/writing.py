"""The actions on a row of the Audit screen, and what they write after confirmation, with undo."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from textual.app import App

from ctxtui.audit.fixes import Written, apply, commands, preview
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules.phrases import listed
from ctxtui.audit.slim.change import Change
from ctxtui.audit.slim.write import undo_written, write_changes
from ctxtui.audit.types import Finding, Step
from ctxtui.audit.write_ignore import covered, ignore_entry, propose_ignore, write_ignore
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import Root
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.dialogs import Ask, Confirm

Writing = Callable[[App[Any], Root], Awaitable[tuple[Written, ...]]]
"""Ask, then write. Returns the written files, empty if canceled."""


class Changes:
    """The changes made on the Audit screen. Methods return a message, or None if nothing was done."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._written: list[tuple[AuditRow, tuple[Written, ...]]] = []

    async def write(self, app: App[Any], row: AuditRow, writing: Writing) -> str | None:
        """Call `writing`, which asks the user and writes files. Returns a message, None after a no or an error."""
        written = await self._desk.complaining(writing(app, self._desk.now.workspace.reader.root))
        if not written:
            return None
        self._written.append((row, written))
        return f"wrote {_paths(written)}"

    @property
    def is_empty(self) -> bool:
        return not self._written

    async def undo(self) -> tuple[str, AuditRow] | None:
        """Undo the last change. Returns a message and the row of the change, None after an error, which is shown."""
        row, written = self._written[-1]
        try:
            await asyncio.to_thread(undo_written, self._desk.now.workspace.reader.root, written)
        except ContextError as error:
            self._desk.complain(error)
            return None
        self._written.pop()
        return f"undid the change of {_paths(written)}", row


def mending(steps: Sequence[Step]) -> Writing:
    """A function that makes the steps of a remedy, after a diff and a yes."""

    async def write(app: App[Any], root: Root) -> tuple[Written, ...]:
        diff = await asyncio.to_thread(preview, root, steps)
        if not await app.push_screen_wait(Confirm("Write this?", diff)):
            return ()
        return await asyncio.to_thread(apply, root, steps)

    return write


def making(change: Change) -> Writing:
    """A function that makes a change of the plan, after a diff and a yes."""

    async def write(app: App[Any], root: Root) -> tuple[Written, ...]:
        question = f"{change.title}?\nSaves {change.in_words}.\nCould be lost: {change.lost}"
        if not await app.push_screen_wait(Confirm(question, change.diff)):
            return ()
        return (await asyncio.to_thread(write_changes, root, [change])).written

    return write


def ignoring(finding: Finding, findings: Sequence[Finding]) -> Writing:
    """A function that asks for a reason and ignores a finding. It tells how many of `findings` this ignores, too."""

    def check(reason: str) -> None:
        ignore_entry(finding, reason)

    async def write(app: App[Any], root: Root) -> tuple[Written, ...]:
        hint = f"the reason why {finding.rule} does not matter here; readers of the configuration see it"
        place = f" in {finding.path}" if finding.path else ""
        reason = await app.push_screen_wait(Ask(f"Ignore {finding.rule}{place} because", hint, check=check))
        if reason is None:
            return ()
        addition = await asyncio.to_thread(propose_ignore, root, finding, reason)
        question = "Write this?" if addition.before is not None else "Write this new file?"
        others = len(covered(finding, findings)) - finding.count
        if others > 0:
            question = f"This also ignores {plural(others, 'other finding')} of {finding.rule}.\n{question}"
        if not await app.push_screen_wait(Confirm(question, addition.diff)):
            return ()
        await asyncio.to_thread(write_ignore, root, addition)
        return (addition.written,)

    return write


def _paths(written: Sequence[Written]) -> str:
    return listed([each.path for each in written])


class Action(NamedTuple):
    """A description and one of three: files to `write` after a yes, a text to `copy`, a screen action to `run`."""

    about: str
    write: Writing | None = None
    copy: str = ""
    run: str = ""


def actions_on(row: AuditRow, report: Report, saving: Change | None) -> dict[str, Action]:
    """The actions by name, most useful first. `saving` is the change of the plan that mends the finding."""
    found: dict[str, Action] = {}
    change, finding = row.change or saving, row.finding
    if change is not None:
        found["shorten"] = Action(f"saves {change.tokens:,} tokens, after a diff: {change.title}", making(change))
    if finding is not None:
        found |= _mends(finding, report)
    if row.path and not row.path.startswith("id:"):
        found["edit"] = Action("open the file in your editor, at the line", run="editor")
        found["go"] = Action("go to the file in the tree", run="go")
    if finding is not None:
        found["copy"] = Action("copy the finding, as a task for an agent", copy=report.adviser.as_task(finding))
    if finding is not None and finding not in report.problems:
        found["ignore"] = Action("ignore it for a reason, in the configuration", ignoring(finding, report.findings))
    return found


def _mends(finding: Finding, report: Report) -> dict[str, Action]:
    steps = finding.remedy.steps
    if not steps:
        return {}
    found = {"fix": Action(finding.remedy.words, mending(steps))}
    fixes = [each.fix for each in report.findings if each.fix is not None and each.rule == finding.rule]
    if finding.rule == "token-drift" and len(fixes) > 1:
        found["fix all"] = Action(f"correct all {len(fixes):,} numbers", mending(fixes))
    if told := commands(steps):
        found["command"] = Action(f"copy {told[0]}", copy="\n".join(told) + "\n")
    return found
