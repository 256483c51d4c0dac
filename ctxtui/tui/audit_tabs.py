"""The rows of each tab of the Audit screen, made when the tab is first opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from threading import Event
from typing import Final

from ctxtui.audit.history.history import History, histories
from ctxtui.audit.logs.report import read_logs
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import NOTHING_ELSE, Asked, run_audit
from ctxtui.audit.slim.plan import make_plan
from ctxtui.audit.totals import share_tree
from ctxtui.audit.types import Settings
from ctxtui.core.cancel import Check, go_on
from ctxtui.session.config import load_config
from ctxtui.session.session import Session
from ctxtui.tui import audit_rows, slim_rows
from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.log_rows import log_rows
from ctxtui.tui.server_rows import server_rows

TABS: Final = ("findings", "agents", "totals", "map", "matrix", "touch", "slim", "servers", "history", "logs")
WITH_STARTS: Final = ("findings", "agents")
"""The tabs that show starts, or limits of them."""


def audited(session: Session, asked: Asked = NOTHING_ELSE, check: Check = go_on, stop: Event | None = None) -> Report:
    """Audit the project as it is now; `check` and `stop` end it as they end `run_audit`."""
    # Problems with the configuration were shown at the start, those of MCP servers are rows of their tab.
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return run_audit(session.workspace, session.budget, config, asked, lambda _notice: None, check, stop)


def logs(session: Session) -> list[AuditRow]:
    """Read the user's own transcripts of this project."""
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, table=workspace.scope.table)
    return list(log_rows(read_logs(workspace, budget.counter, os.environ, settings=settings)))


def _map(report: Report, session: Session) -> list[AuditRow]:
    share = share_tree(session.workspace, report.counter, report.result.agents)
    return list(audit_rows.share_rows(share, share.tokens))


def _matrix(report: Report, session: Session) -> list[AuditRow]:
    by_path = session.workspace.by_path
    return list(
        audit_rows.matrix_rows(report, lambda path: by_path[path].path if path in by_path else path),
    )


def history_of(session: Session, cwd: str, check: Check) -> Iterator[History]:
    """The history of the project, the newest commits first; an exception of `check` ends it.

    Agents start in the folder `cwd`.
    """
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, cwd=cwd, table=workspace.scope.table)
    return histories(workspace, budget.counter, settings=settings, check=check, on_notice=lambda _notice: None)


ROWS: Final[dict[str, Callable[[Report, Session], list[AuditRow]]]] = {
    "findings": lambda report, _: list(audit_rows.finding_rows(report)),
    "agents": lambda report, _: list(audit_rows.agent_rows(report)),
    "totals": lambda report, _: list(audit_rows.total_rows(report)),
    "map": _map,
    "matrix": _matrix,
    "servers": lambda report, _: list(server_rows(report)),
    "slim": lambda report, session: list(slim_rows.plan_rows(make_plan(session.workspace, report))),
}
"""The rows of every tab except those for which the user must ask (`touch`, `logs`), and `history`, in steps."""
