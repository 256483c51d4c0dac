"""Replace estimated starts in a report by exact counts where known, with their limits and dollars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxtui.audit.limits import LimitResult
from ctxtui.audit.reports.report import Report
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.tokens.whole import Whole
from ctxtui.workspace.workspace import Workspace


def with_known_starts(report: Report, workspace: Workspace, check: Check = go_on) -> Report:
    """Replace estimated starts by known counts. Takes seconds without a cache.

    `check` is called before every text and may raise to stop.
    """
    if report.counter.exact:
        return report
    from ctxtui.audit.prices import start_money  # noqa: PLC0415 - only estimates can be known better
    from ctxtui.session.whole_starts import whole_starts  # noqa: PLC0415

    starts = whole_starts(report.starts, workspace.text, report.counter, workspace.reader.ledger, check)
    known = {start.agent: start.whole for start in starts if start.whole}
    if not known:
        return report
    money = report.money and start_money(
        report.money.model,
        report.result.agents,
        report.totals.tokens,
        {agent: whole.tokens for agent, whole in known.items()},
        report.own,
    )
    limits = tuple(_judged(each, known) for each in report.limits)
    return replace(report, known=known, limits=limits, money=money)


def _judged(limit: LimitResult, known: Mapping[str, Whole]) -> LimitResult:
    """Judge the limit of a start by the known count of its whole text."""
    kind, _, agent = limit.name.partition(" ")
    whole = known.get(agent) if kind == "start" else None
    if whole is None:
        return limit
    tokens = whole.tokens
    return replace(limit, tokens=tokens, judged=tokens, passed=tokens <= limit.limit, label=whole.label)
