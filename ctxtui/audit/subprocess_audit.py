"""The audit of a large project in a subprocess, which opens the project itself.

The app stays responsive and gets the memory back. A result for another state of the project is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

from ctxtui.agents import Start, load_table
from ctxtui.agents.types import Agent, Row
from ctxtui.audit.known_audit import KnownAudit
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import AuditOptions, find, report_on
from ctxtui.core.data.typed_rows import Rows
from ctxtui.core.errors import Category, ContextError
from ctxtui.core.notices import Notice
from ctxtui.core.work_process import Lost, WorkProcess
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.budget import Budget
from ctxtui.session.config import load_config
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

Value = TypeVar("Value")

# An audit of 100,000 files takes minutes.
_SECONDS: Final = 3600.0


class AgentStarts(NamedTuple):
    starts: tuple[Start, ...]


class AuditOrder(NamedTuple):
    """The arguments of an audit."""

    root: str
    scope: Scope
    budget: Budget
    asked: AuditOptions


class AuditAnswer(NamedTuple):
    """The findings as rows, with the state of the project they are about, or the message of an error."""

    state: bytes = b""
    rows: Any = None
    error: tuple[Category, str, bool, str | None] | None = None


def starts_apart(
    process: WorkProcess, workspace: Workspace, budget: Budget, asked: AuditOptions
) -> tuple[Start, ...] | None:
    """The starts of the agents, or None if the process ends or sees another state of the project.

    Raises ContextError (invalid_request) for a folder outside the project.
    """
    found = _asked(process, find_starts, workspace, budget, asked, AgentStarts)
    return None if found is None else found.starts


def audit_apart(process: WorkProcess, workspace: Workspace, budget: Budget, asked: AuditOptions) -> Report | None:
    """The report of `run_audit`, or None if the process ends or sees another state of the project.

    Raises ContextError as `run_audit` does.
    """
    found = _asked(process, find_all, workspace, budget, asked, KnownAudit)
    config = load_config(workspace.root, on_notice=_ignore)
    return None if found is None else report_on(workspace, budget, config, asked, found)


def _asked(
    process: WorkProcess, work: Any, workspace: Workspace, budget: Budget, asked: AuditOptions, kind: type[Value]
) -> Value | None:
    order = AuditOrder(str(workspace.root), workspace.scope, budget, asked)
    try:
        answer: AuditAnswer = process.run(work, order, _SECONDS)
    except (Lost, ContextError):
        # The caller runs the audit itself if there is no process or the process ends.
        return None
    if answer.error is not None:
        raise ContextError(*answer.error)
    return _rows(workspace).read(kind, answer.rows) if answer.state == _state(workspace) else None


def find_starts(order: AuditOrder) -> AuditAnswer:
    """Find the starts, inside the subprocess."""

    def starts(workspace: Workspace) -> AgentStarts:
        budget = order.budget
        return AgentStarts(agent_starts(workspace, budget.counter, budget.window, order.asked.cwd, workspace.home.at))

    return _answer(order, AgentStarts, starts)


def find_all(order: AuditOrder) -> AuditAnswer:
    """Run the rules, inside the subprocess."""

    def found(workspace: Workspace) -> KnownAudit:
        return find(workspace, order.budget, load_config(workspace.root, on_notice=_ignore), order.asked)

    return _answer(order, KnownAudit, found)


def _answer(order: AuditOrder, kind: type[Value], look: Callable[[Workspace], Value]) -> AuditAnswer:
    try:
        workspace = Workspace.open(order.root, scope=order.scope, on_notice=_ignore)
        return AuditAnswer(_state(workspace), _rows(workspace).write(kind, look(workspace)))
    except ContextError as error:
        return AuditAnswer(error=(error.category, error.message, error.retryable, error.hint))


def _rows(workspace: Workspace) -> Rows:
    table = workspace.scope.table or load_table()
    return Rows({Agent: table, Row: [row for agent in table for row in agent.rows]})


def _state(workspace: Workspace) -> bytes:
    """A digest of the project's files and versions, with ancestor folders and user files."""
    state = blake2b(repr((workspace.above.paths, sorted(workspace.home.versions.items()))).encode("utf-8", "replace"))
    files = (f"{each.path}\0{each.stamp}\0" for each in workspace.references)
    for text in chain(files, workspace.paths):
        state.update(text.encode("utf-8", "surrogatepass"))
    return state.digest()


def _ignore(_notice: Notice) -> None:
    """Notices about the project were shown when it was opened."""
