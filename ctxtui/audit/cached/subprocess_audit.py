"""The audit of a large project in a subprocess, which opens the project itself.

The app stays responsive and gets the memory back. A result for another state of the project is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import Final, TypeVar

from ctxtui.agents import Start
from ctxtui.audit.cached.snapshot import ResultAndTotals, shared_rows
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import AuditOptions, drop_notice, report_on, result_of_rules, run_audit
from ctxtui.audit.slim.change import Plan, Saved
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.audit.slim.plan import make_plan
from ctxtui.core.base.errors import Category, ContextError
from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import Config, load_config
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

Result = TypeVar("Result")
_Error = tuple[Category, str, bool, str | None]

# An audit of 100,000 files takes minutes.
_SECONDS: Final = 3600.0


def audit_apart(process: WorkProcess, workspace: Workspace, budget: Budget, cwd: str) -> Report | None:
    """The report of an audit in a subprocess, or None as `run_apart` says. Raises as `run_audit` does."""
    outcome = run_apart(process, find_audit, workspace, budget, cwd)
    return outcome and report_on(workspace, budget, _config(workspace), AuditOptions(cwd=cwd), outcome)


def run_apart(
    process: WorkProcess,
    find: Callable[[Workspace, Budget, str], Result],
    workspace: Workspace,
    budget: Budget,
    cwd: str,
) -> Result | None:
    """The result of `find` in a subprocess. None if that ends early or sees other files. Raises as `find` does."""
    try:
        work = partial(_answer, find, workspace.scope, budget, cwd)
        state, packed, error = process.run(work, str(workspace.root), _SECONDS)
    except (Lost, ContextError):
        # The caller runs the audit itself if there is no process or the process ends.
        return None
    if error is not None:
        raise ContextError(*error)
    if state != _state(workspace):
        return None
    found: Result | None = unpack(packed, shared_rows(workspace.scope.table))
    return found


def _answer(
    find: Callable[[Workspace, Budget, str], object], scope: Scope, budget: Budget, cwd: str, root: str
) -> tuple[bytes, bytes, _Error | None]:
    """In the subprocess: the state of the project at `root` and the packed findings, or the parts of an error."""
    try:
        workspace = Workspace.open(root, scope=scope, on_notice=drop_notice)
        found = find(workspace, budget, cwd)
        return _state(workspace), pack(found, shared_rows(workspace.scope.table)), None
    except ContextError as error:
        return b"", b"", (error.category, error.message, error.retryable, error.hint)


def find_starts(workspace: Workspace, budget: Budget, cwd: str) -> tuple[Start, ...]:
    """The starts of the agents. Raises ContextError (invalid_request) for a folder outside the project."""
    return tuple(agent_starts(workspace, budget.counter, budget.window, cwd, workspace.home.at))


def find_audit(workspace: Workspace, budget: Budget, cwd: str) -> ResultAndTotals:
    return result_of_rules(workspace, budget, _config(workspace), AuditOptions(cwd=cwd))


def find_plan(workspace: Workspace, budget: Budget, cwd: str) -> tuple[Plan, Saved | None]:
    """The plan and the saving of `known_saving`. Changes lack `is_safe`: functions cannot leave the process."""
    report = run_audit(workspace, budget, _config(workspace), AuditOptions(cwd=cwd), drop_notice)
    made = make_plan(workspace, report)
    # The changes are measured, and functions do not leave the process.
    changes = (replace(each, is_safe=None) for each in made.changes)
    return replace(made, changes=tuple(changes)), known_saving(workspace, report)


def _config(workspace: Workspace) -> Config:
    return load_config(workspace.root, on_notice=drop_notice)


def _state(workspace: Workspace) -> bytes:
    """A digest of paths and stamps: of the project's files, ancestor files and user files."""
    state = blake2b(repr((workspace.above.paths, sorted(workspace.home.versions.items()))).encode("utf-8", "replace"))
    files = (f"{each.path}\0{each.stamp}\0" for each in workspace.references)
    for text in chain(files, workspace.paths):
        state.update(text.encode("utf-8", "surrogatepass"))
    return state.digest()
