"""What the Audit screen writes: fixes, changes of the plan and ignores, each confirmed first and undone in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from textual.app import App

from ctxtui.audit.fixes import Written, apply, preview
from ctxtui.audit.rules.phrases import listed
from ctxtui.audit.slim.change import Change
from ctxtui.audit.slim.write import undo_written, write_changes
from ctxtui.audit.types import Finding, Fix
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.root import Root
from ctxtui.tui.audit.ignoring import ignored
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.audit.slim_rows import saved_words
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.dialogs import Confirm

Writing = Callable[[App[Any], Root], Awaitable[tuple[Written, ...]]]
"""Asks, then writes; returns what was written, nothing if the user changed their mind."""


class Changes:
    """The changes that the user made on the Audit screen; methods return what to tell, None if nothing was done."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._written: list[tuple[Written, ...]] = []

    async def write(self, app: App[Any], writing: Writing) -> str | None:
        """Let the user confirm a change, and write it; what cannot be written is shown as an error."""
        if self._desk.session is None:
            return None
        try:
            written = await writing(app, self._desk.session.workspace.reader.root)
        except ContextError as error:
            self._desk.complain(error)
            return None
        if not written:
            return None
        self._written.append(written)
        return f"wrote {_paths(written)}"

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be undone."""
        return not self._written

    async def undo(self) -> str | None:
        """Undo the last change."""
        if self._desk.session is None or not self._written:
            return None
        try:
            await asyncio.to_thread(undo_written, self._desk.session.workspace.reader.root, self._written[-1])
        except ContextError as error:
            self._desk.complain(error)
            return None
        return f"undid the change of {_paths(self._written.pop())}"


def fixing(fixes: Sequence[Fix]) -> Writing:
    """Corrects numbers."""

    async def write(app: App[Any], root: Root) -> tuple[Written, ...]:
        diff = await asyncio.to_thread(preview, root, fixes)
        if not await app.push_screen_wait(Confirm("Write this?", diff)):
            return ()
        return await asyncio.to_thread(apply, root, fixes)

    return write


def fixing_rows(rows: Iterable[AuditRow]) -> Writing | None:
    """Corrects the numbers in some rows; None if no number there is wrong."""
    fixes = [row.fix for row in rows if row.fix is not None]
    return fixing(fixes) if fixes else None


def fixing_row(row: AuditRow | None, rows: Iterable[AuditRow]) -> Writing | None:
    """Makes the change of a row, or corrects the numbers in it and in those of the `rows` that are within it."""
    if row is None:
        return None
    if row.change is not None:
        return making(row.change)
    return fixing_rows(each for each in rows if each is row or (row.group and row.group in each.within))


def making(change: Change) -> Writing:
    """Makes a change of the plan."""

    async def write(app: App[Any], root: Root) -> tuple[Written, ...]:
        question = f"{change.title}?\nSaves {saved_words(change)}.\nCould be lost: {change.lost}"
        if not await app.push_screen_wait(Confirm(question, change.diff)):
            return ()
        return (await asyncio.to_thread(write_changes, root, [change])).written

    return write


def ignoring_row(row: AuditRow | None, findings: Sequence[Finding]) -> Writing | None:
    """Ignores the finding of a row, one of `findings`; None without one."""
    return ignoring(row.finding, findings) if row is not None and row.finding is not None else None


def ignoring(finding: Finding, findings: Sequence[Finding]) -> Writing:
    """Ignores a finding, one of `findings`, for a reason that the user gives."""

    async def write(app: App[Any], root: Root) -> tuple[Written, ...]:
        written = await ignored(app, root, finding, findings)
        return (written,) if written is not None else ()

    return write


def _paths(written: Sequence[Written]) -> str:
    """The first files of a change, and how many there are."""
    return listed([each.path for each in written])
