"""The findings and sums of a project, made once."""

from __future__ import annotations

from contextlib import nullcontext
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.audit.snapshot import UNREAD, AuditSnapshot
from ctxtui.audit.totals import Totals, totals
from ctxtui.audit.types import AuditResult, Settings
from ctxtui.core.markdown.scan import is_markdown
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.ahead import Ahead
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited
    from ctxtui.core.files.count_files import Pass


class Found(NamedTuple):
    """What one audit found, and the sums of the context."""

    result: AuditResult
    sums: Totals


def audit_ahead(counter: TokenCounter, settings: Settings) -> Ahead:
    """Who counts for `known_audit`, a context manager: while the project is opened, plain files if they are wanted.

    Which other files are context is known once it is open.
    """
    wanted = is_markdown if settings.with_plain else lambda _path: False
    return Ahead(counter, _learned, wanted, lasts=True)


def _learned() -> tuple[Pass, ...]:
    # What is known needs nothing learned.
    from ctxtui.audit.text.learn import LEARNED  # noqa: PLC0415

    return LEARNED


def known_audit(
    workspace: Workspace,
    counter: TokenCounter,
    settings: Settings,
    stop: Event | None = None,
    ahead: Ahead | None = None,
) -> Found:
    """What the rules find in a project, read back if it is known; as `audit`, it never raises for content.

    `ahead` has begun to count while the project was opened.
    """
    kept = _kept(workspace, counter, settings)
    known: Found | None = kept.read()
    if known is not None:
        return known
    # What is known needs no rules.
    from ctxtui.audit.apply_rules import apply_rules  # noqa: PLC0415
    from ctxtui.audit.context import Audited  # noqa: PLC0415

    with nullcontext(ahead) if ahead else audit_ahead(counter, settings) as counting:
        audited = Audited(workspace, counting.told, settings, stop, counting.foresee)
        result = apply_rules(audited, ahead=counting)
        found = Found(result, totals(workspace, counter, result.agents, settings.with_plain))
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
