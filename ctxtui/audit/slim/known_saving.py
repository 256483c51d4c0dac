"""The largest saving of the plan, from the cache if possible."""

from __future__ import annotations

from ctxtui.audit.cached.snapshot import AuditSnapshot
from ctxtui.audit.reports.report import Report
from ctxtui.audit.slim.change import Saved
from ctxtui.workspace.workspace import Workspace


def known_saving(workspace: Workspace, report: Report) -> Saved | None:
    """The result of `largest_saving`, from the cache if possible. None if no agent has a start."""
    if not report.starts:
        return None
    kept = AuditSnapshot("savings", workspace, report.counter, report.settings)
    is_whole = report.comparison is None and report.result.is_complete
    known: tuple[Saved | None] | None = kept.read() if is_whole else None
    if known is not None:
        return known[0]
    # A cached result needs no rules.
    from ctxtui.audit.context import Audited  # noqa: PLC0415
    from ctxtui.audit.slim.plan import largest_saving  # noqa: PLC0415

    audited = Audited(workspace, report.counter, report.settings)
    found = largest_saving(audited, report)
    if is_whole:
        # Files that the audit could not read count as unread here, too.
        audited.notices |= dict.fromkeys(report.result.notices)
        kept.keep((found,), audited)
    return found
