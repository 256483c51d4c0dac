"""The rows of each tab of the Audit screen, made when the tab is first opened."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from ctxtui.audit.history.history import history
from ctxtui.audit.logs.report import read_logs
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.audit.totals import share_tree
from ctxtui.audit.types import Settings
from ctxtui.session.config import load_config
from ctxtui.session.session import Session
from ctxtui.tui import audit_rows
from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.log_rows import log_rows

TABS: Final = ("findings", "agents", "totals", "map", "matrix", "touch", "history", "logs")


def audited(session: Session) -> Report:
    """Audit the project as it is now."""
    # Problems with the configuration were shown at the start.
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return run_audit(session.workspace, session.budget, config)


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


def _history(_report: Report, session: Session) -> list[AuditRow]:
    workspace = session.workspace
    sources = {reference.path: reference.source for reference in workspace.references}
    found = history(workspace.root, session.budget.counter, sources=sources, on_notice=lambda _notice: None)
    return list(audit_rows.history_rows(found))


ROWS: Final[dict[str, Callable[[Report, Session], list[AuditRow]]]] = {
    "findings": lambda report, _: list(audit_rows.finding_rows(report)),
    "agents": lambda report, _: list(audit_rows.agent_rows(report)),
    "totals": lambda report, _: list(audit_rows.total_rows(report)),
    "map": _map,
    "matrix": _matrix,
    "history": _history,
}
"""The rows of every tab except `touch` and `logs`, which the user must ask for."""
