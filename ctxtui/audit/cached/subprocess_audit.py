"""The audit of a large project in a subprocess, which opens the project itself.

The app stays responsive and gets the memory back. A result for another state of the project is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, NamedTuple

from ctxtui.agents import Start, load_table
from ctxtui.audit.cached.known_audit import KnownAudit
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import AuditOptions, find, report_on
from ctxtui.audit.slim.change import Plan, Saved
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.audit.slim.plan import make_plan
from ctxtui.core.base.errors import Category, ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

# An audit of 100,000 files takes minutes.
_SECONDS: Final = 3600.0


class AuditOrder(NamedTuple):
    """The arguments of an audit."""

    root: str
    scope: Scope
    budget: Budget
    asked: AuditOptions


class AuditAnswer(NamedTuple):
    """The packed findings with the state of the project, or the message of an error."""

    state: bytes = b""
    found: bytes = b""
    error: tuple[Category, str, bool, str | None] | None = None


def starts_apart(
    process: WorkProcess, workspace: Workspace, budget: Budget, asked: AuditOptions
) -> tuple[Start, ...] | None:
    """The starts of the agents, or None if the process ends or sees another state of the project.

    Raises ContextError (invalid_request) for a folder outside the project.
    """
    found: tuple[Start, ...] | None = _asked(process, find_starts, workspace, budget, asked)
    return found


def audit_apart(process: WorkProcess, workspace: Workspace, budget: Budget, asked: AuditOptions) -> Report | None:
    """The report of `run_audit`, or None if the process ends or sees another state of the project.

    Raises ContextError as `run_audit` does.
    """
    found: KnownAudit | None = _asked(process, find_all, workspace, budget, asked)
    config = load_config(workspace.root, on_notice=_ignore)
    return None if found is None else report_on(workspace, budget, config, asked, found)


def plan_apart(
    process: WorkProcess, workspace: Workspace, budget: Budget, asked: AuditOptions
) -> tuple[Plan, Saved | None] | None:
    """The plan and the largest saving of an agent. None if the process ends or sees another state of the project."""
    found: tuple[Plan, Saved | None] | None = _asked(process, find_plan, workspace, budget, asked)
    return found


def _asked(process: WorkProcess, work: Any, workspace: Workspace, budget: Budget, asked: AuditOptions) -> Any:
    order = AuditOrder(str(workspace.root), workspace.scope, budget, asked)
    try:
        answer: AuditAnswer = process.run(work, order, _SECONDS)
    except (Lost, ContextError):
        # The caller runs the audit itself if there is no process or the process ends.
        return None
    if answer.error is not None:
        raise ContextError(*answer.error)
    return unpack(answer.found, _shared(workspace)) if answer.state == _state(workspace) else None


def find_starts(order: AuditOrder) -> AuditAnswer:
    """Find the starts, inside the subprocess."""

    def starts(workspace: Workspace) -> tuple[Start, ...]:
        budget = order.budget
        return tuple(agent_starts(workspace, budget.counter, budget.window, order.asked.cwd, workspace.home.at))

    return _answer(order, starts)


def find_all(order: AuditOrder) -> AuditAnswer:
    """Run the rules, inside the subprocess."""

    def found(workspace: Workspace) -> KnownAudit:
        return find(workspace, order.budget, load_config(workspace.root, on_notice=_ignore), order.asked)

    return _answer(order, found)


def find_plan(order: AuditOrder) -> AuditAnswer:
    """Make the plan, inside the subprocess. The audit itself is cached by then."""

    def plan(workspace: Workspace) -> tuple[Plan, Saved | None]:
        config = load_config(workspace.root, on_notice=_ignore)
        found = find(workspace, order.budget, config, order.asked)
        report = report_on(workspace, order.budget, config, order.asked, found)
        made = make_plan(workspace, report)
        # The changes are measured, and functions do not leave the process.
        changes = (replace(each, draft=replace(each.draft, is_safe=None)) for each in made.changes)
        return replace(made, changes=tuple(changes)), known_saving(workspace, report)

    return _answer(order, plan)


def _answer(order: AuditOrder, look: Callable[[Workspace], object]) -> AuditAnswer:
    try:
        workspace = Workspace.open(order.root, scope=order.scope, on_notice=_ignore)
        return AuditAnswer(_state(workspace), pack(look(workspace), _shared(workspace)))
    except ContextError as error:
        return AuditAnswer(error=(error.category, error.message, error.retryable, error.hint))


def _shared(workspace: Workspace) -> tuple[object, ...]:
    table = workspace.scope.table or load_table()
    return *table, *(row for agent in table for row in agent.rows)


def _state(workspace: Workspace) -> bytes:
    """A digest of the project's files and versions, with ancestor folders and user files."""
    state = blake2b(repr((workspace.above.paths, sorted(workspace.home.versions.items()))).encode("utf-8", "replace"))
    files = (f"{each.path}\0{each.stamp}\0" for each in workspace.references)
    for text in chain(files, workspace.paths):
        state.update(text.encode("utf-8", "surrogatepass"))
    return state.digest()


def _ignore(_notice: Notice) -> None:
    """Notices about the project were shown when it was opened."""
