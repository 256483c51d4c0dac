"""An audit in a process of its own: the one that asks stays free, and what the audit takes is given back.

The process opens the project itself. What it finds is of use if that is the very project of the one that asked.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, NamedTuple

from ctxtui.agents import Start, load_table
from ctxtui.audit.known_audit import Found
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import Asked, find, report_on
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


class Order(NamedTuple):
    """What to look at, and how to count."""

    root: str
    scope: Scope
    budget: Budget
    asked: Asked


class Answer(NamedTuple):
    """What was found, packed, in the project of a state, or the words of an error that says why there is nothing."""

    state: bytes = b""
    found: bytes = b""
    error: tuple[Category, str, bool, str | None] | None = None


def starts_apart(
    process: WorkProcess, workspace: Workspace, budget: Budget, asked: Asked
) -> tuple[Start, ...] | None:
    """What agents start with, as a process reports it; None if it sees another project, or ends.

    Raises ContextError (invalid_request) for a folder outside the project.
    """
    found: tuple[Start, ...] | None = _asked(process, find_starts, workspace, budget, asked)
    return found


def audit_apart(process: WorkProcess, workspace: Workspace, budget: Budget, asked: Asked) -> Report | None:
    """The report that `run_audit` would give, as a process finds it; None if it sees another project, or ends.

    Raises ContextError as `run_audit` does.
    """
    found: Found | None = _asked(process, find_all, workspace, budget, asked)
    config = load_config(workspace.root, on_notice=_ignore)
    return None if found is None else report_on(workspace, budget, config, asked, found)


def _asked(process: WorkProcess, work: Any, workspace: Workspace, budget: Budget, asked: Asked) -> Any:
    order = Order(str(workspace.root), workspace.scope, budget, asked)
    try:
        answer: Answer = process.run(work, order, _SECONDS)
    except (Lost, ContextError):
        # Without a process, or if it ends, the caller looks itself.
        return None
    if answer.error is not None:
        raise ContextError(*answer.error)
    return unpack(answer.found, _shared(workspace)) if answer.state == _state(workspace) else None


def find_starts(order: Order) -> Answer:
    """What agents start with; runs in the process of its own."""

    def starts(workspace: Workspace) -> tuple[Start, ...]:
        budget = order.budget
        return tuple(agent_starts(workspace, budget.counter, budget.window, order.asked.cwd, workspace.home.at))

    return _answer(order, starts)


def find_all(order: Order) -> Answer:
    """What the rules find; runs in the process of its own."""

    def found(workspace: Workspace) -> Found:
        return find(workspace, order.budget, load_config(workspace.root, on_notice=_ignore), order.asked)

    return _answer(order, found)


def _answer(order: Order, look: Callable[[Workspace], object]) -> Answer:
    try:
        workspace = Workspace.open(order.root, scope=order.scope, on_notice=_ignore)
        return Answer(_state(workspace), pack(look(workspace), _shared(workspace)))
    except ContextError as error:
        return Answer(error=(error.category, error.message, error.retryable, error.hint))


def _shared(workspace: Workspace) -> tuple[object, ...]:
    table = workspace.scope.table or load_table()
    return *table, *(row for agent in table for row in agent.rows)


def _state(workspace: Workspace) -> bytes:
    """Identifies the files of a project in their versions, those around it and at home included."""
    state = blake2b(repr((workspace.above.paths, sorted(workspace.home.versions.items()))).encode("utf-8", "replace"))
    files = (f"{each.path}\0{each.stamp}\0" for each in workspace.references)
    for text in chain(files, workspace.paths):
        state.update(text.encode("utf-8", "surrogatepass"))
    return state.digest()


def _ignore(_notice: Notice) -> None:
    """What is wrong with the project was shown when it was opened."""
