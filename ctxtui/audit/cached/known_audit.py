"""The findings and sums of a project, from the cache if possible."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.audit.cached.snapshot import UNREAD, AuditSnapshot
from ctxtui.audit.totals import Totals, totals
from ctxtui.audit.types import AuditResult, Settings
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited


class KnownAudit(NamedTuple):
    """The result of one audit, and the sums of the context."""

    result: AuditResult
    sums: Totals


def known_audit(
    workspace: Workspace, counter: TokenCounter, settings: Settings, stop: Event | None = None
) -> KnownAudit:
    """Run the rules, or read their result from the cache. Like `audit`, never raises for content."""
    kept = _kept(workspace, counter, settings)
    known: KnownAudit | None = kept.read()
    if known is not None:
        return known
    # A cached result needs no rules.
    from ctxtui.audit.apply_rules import apply_rules  # noqa: PLC0415
    from ctxtui.audit.context import Audited  # noqa: PLC0415

    audited = Audited(workspace, counter, settings, stop)
    result = apply_rules(audited)
    found = KnownAudit(result, totals(workspace, counter, result.agents))
    if _is_final(found, audited):
        kept.keep(found, audited)
    return found


def kept_audit(workspace: Workspace, counter: TokenCounter, settings: Settings) -> KnownAudit | None:
    """The cached result, or None if `known_audit` would run the rules."""
    known: KnownAudit | None = _kept(workspace, counter, settings).read()
    return known


def _kept(workspace: Workspace, counter: TokenCounter, settings: Settings) -> AuditSnapshot:
    return AuditSnapshot("audits", workspace, counter, settings)


def _is_final(found: KnownAudit, audited: Audited) -> bool:
    """Whether an audit is complete and every readable file was counted."""
    files = {each.path: each.id for each in audited.references}
    unread = {files[notice.path] for notice in audited.notices if notice.code == UNREAD and notice.path in files}
    return found.result.is_complete and found.sums.files + len(unread) == len({*files.values()})
