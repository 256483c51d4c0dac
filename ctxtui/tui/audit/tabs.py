"""The rows of each tab of the Audit screen, made when the tab is first opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from threading import Event
from typing import Final, NamedTuple

from ctxtui.audit.history.history import History, histories
from ctxtui.audit.history.since_findings import finding_changes
from ctxtui.audit.history.since_ref import since
from ctxtui.audit.logs.report import read_logs
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import NOTHING_ELSE, Asked, recall_audit, run_audit
from ctxtui.audit.slim.change import Plan
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.audit.slim.plan import make_plan
from ctxtui.audit.totals import share_tree
from ctxtui.audit.types import Settings
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.disk.git.changes import default_base
from ctxtui.session.saved.config import load_config
from ctxtui.session.session import Session
from ctxtui.tui.audit import figure_rows
from ctxtui.tui.audit.change_rows import change_rows
from ctxtui.tui.audit.log_rows import log_rows
from ctxtui.tui.audit.row import AuditRow, remark
from ctxtui.tui.audit.server_rows import server_rows

TABS: Final = (
    *("findings", "agents", "totals", "map", "matrix", "touch", "slim", "servers"),
    *("changes", "history", "logs"),
)
PREVIEWED: Final = ("findings", "agents", "touch", "slim", "servers", "changes")
"""The tabs whose rows leave room for the file that they are about."""
NOTHING: Final = {
    "findings": "no findings: no text is lost, no number is far off",
    **dict.fromkeys(
        ("agents", "map", "matrix"), "no agent loads a file of this project: it has no AGENTS.md, rules or skills"
    ),
    "totals": "no file but plain ones: no file that an agent loads, no .context, no catalog",
    "slim": "nothing to change: no start of an agent would get smaller",
    "servers": "no agent starts an MCP server here",
    "changes": "nothing changed",
    "history": "no commit changed a file",
    "logs": "no transcript of this project",
}
"""The meaning of a tab without rows."""
WITH_STARTS: Final = ("findings", "agents")
"""The tabs that show starts, or limits of them."""
WITH_GIT: Final = ("changes", "history")
"""The tabs that read what git has recorded."""


def audited(session: Session, asked: Asked = NOTHING_ELSE, check: Check = go_on, stop: Event | None = None) -> Report:
    """Audit the project as it is now; `check` and `stop` end it as they end `run_audit`."""
    # Problems with the configuration were shown at the start, those of MCP servers are rows of their tab.
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return run_audit(session.workspace, session.budget, config, asked, lambda _notice: None, check, stop)


def recalled(session: Session, asked: Asked) -> Report | None:
    """What `audited` would report, if nothing has changed since it was found; else None, at once."""
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return recall_audit(session.workspace, session.budget, config, asked)


def logs(session: Session) -> list[AuditRow]:
    """Read the user's own transcripts of this project."""
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, table=workspace.scope.table)
    return list(log_rows(read_logs(workspace, budget.counter, os.environ, settings=settings)))


def _map(report: Report, session: Session) -> list[AuditRow]:
    share = share_tree(session.workspace, report.counter, report.result.agents)
    return list(figure_rows.share_rows(share, share.tokens))


def _matrix(report: Report, session: Session) -> list[AuditRow]:
    by_path = session.workspace.by_path
    return list(
        figure_rows.matrix_rows(report, lambda path: by_path[path].path if path in by_path else path),
    )


def history_of(session: Session, cwd: str, check: Check) -> Iterator[History]:
    """The history of the project, the newest commits first; an exception of `check` ends it.

    Agents start in the folder `cwd`.
    """
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, cwd=cwd, table=workspace.scope.table)
    return histories(workspace, budget.counter, settings=settings, check=check, on_notice=lambda _notice: None)


ROWS: Final[dict[str, Callable[[Report, Session], list[AuditRow]]]] = {
    "agents": lambda report, _: list(figure_rows.agent_rows(report)),
    "totals": lambda report, _: list(figure_rows.total_rows(report)),
    "map": _map,
    "matrix": _matrix,
    "servers": lambda report, _: list(server_rows(report)),
}
"""The rows of the tabs that need nothing but the report and the session."""


def hints(what_if: str, read_logs: str) -> dict[str, list[AuditRow]]:
    """The rows of the tabs that the user must ask for, with the keys that do."""
    return {
        "touch": [remark(f"{what_if} asks which file to touch", heads=True)],
        "logs": [remark(f"{read_logs} reads your own transcripts of this project", heads=True)],
    }


class Planned(NamedTuple):
    """A plan, and the most tokens that it saves at the start of an agent for errors and warnings."""

    plan: Plan
    saves: int


def planned(report: Report, session: Session) -> Planned:
    """The plan of changes that would save tokens."""
    plan = make_plan(session.workspace, report)
    saving = known_saving(session.workspace, report)
    return Planned(plan, saving.tokens if saving is not None else 0)


def changes(report: Report, session: Session, base: str | None, key: str, stop: Event) -> list[AuditRow]:
    """What changed since the branch left a base, which the `key` chooses; raises ContextError without git."""
    workspace = session.workspace
    base = base or default_base(workspace.root)
    if base is None:
        return [remark(f"no branch to compare with; {key} chooses one", tab="changes")]
    agents, settings = report.result.agents, report.settings
    found = since(workspace, report.counter, base, agents=agents, settings=settings, on_notice=lambda _notice: None)
    return list(change_rows(found, finding_changes(workspace, report, found.base, stop), key))
