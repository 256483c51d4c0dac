"""The findings and sums of a project, made once."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.audit.snapshot import UNREAD, AuditSnapshot
from ctxtui.audit.totals import Totals, totals
from ctxtui.audit.types import AuditResult, Settings
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited


class Found(NamedTuple):
    """What one audit found, and the sums of the context."""

    result: AuditResult
    sums: Totals


def known_audit(workspace: Workspace, counter: TokenCounter, settings: Settings, stop: Event | None = None) -> Found:
    """What the rules find in a project, read back if it is known; as `audit`, it never raises for content."""
    kept = _kept(workspace, counter, settings)
    known: Found | None = kept.read()
    if known is not None:
        return known
    # What is known needs no rules.
    from ctxtui.audit.apply_rules import apply_rules  # noqa: PLC0415
    from ctxtui.audit.context import Audited  # noqa: PLC0415

    audited = Audited(workspace, counter, settings, stop)
    result = apply_rules(audited)
    found = Found(result, totals(workspace, counter, result.agents))
    if _is_final(found, audited):
        kept.keep(found, audited)
    return found


def kept_audit(workspace: Workspace, counter: TokenCounter, settings: Settings) -> Found | None:
    """What `known_audit` would read back; None if it would run the rules."""
    known: Found | None = _kept(workspace, counter, settings).read()
    return known


def _kept(workspace: Workspace, counter: TokenCounter, settings: Settings) -> AuditSnapshot:
    return AuditSnapshot("audits", workspace, counter, settings)


def _is_final(found: Found, audited: Audited) -> bool:
    """Whether an audit is complete, and every file was counted, or could not be read."""
    files = {each.path: each.id for each in audited.references}
    unread = {files[notice.path] for notice in audited.notices if notice.code == UNREAD and notice.path in files}
    return found.result.is_complete and found.sums.files + len(unread) == len({*files.values()})
