"""A report as JSON data with keys in lower camel case: the `result` of `ctxtui audit --json`."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ctxtui.agents import AgentContext
from ctxtui.audit.baseline import Comparison
from ctxtui.audit.costs import Growth
from ctxtui.audit.history.changes import FileChange
from ctxtui.audit.history.history import History
from ctxtui.audit.history.since_ref import Since
from ctxtui.audit.limits import LimitResult
from ctxtui.audit.prices import Money
from ctxtui.audit.reports.report import Report
from ctxtui.audit.totals import Totals
from ctxtui.audit.types import Finding


def report_json(report: Report) -> dict[str, Any]:
    """The whole report; parts that nobody asked for are null."""
    return {
        "name": report.name,
        "tokenizer": report.counter.name,
        "exact": report.counter.exact,
        "isComplete": report.result.is_complete,
        "findings": [finding_json(finding) for finding in report.findings],
        "totals": _totals(report.totals),
        "savable": report.savable,
        "ignored": [finding_json(finding) for finding in report.result.ignored],
        "agents": [_agent(context) for context in report.result.agents],
        "limits": [_limit(result) for result in report.limits],
        "since": _since(report.since) if report.since else None,
        "baseline": _comparison(report.comparison) if report.comparison else None,
        "money": _money(report.money) if report.money else None,
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding; `fix` is the line before and after, `places` are all of them if there are several."""
    fix = finding.fix
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
        "tokens": finding.tokens,
        "evidence": finding.evidence,
        "agent": finding.agent,
        "key": finding.key,
        "count": finding.count,
        "places": [
            {"path": place.path, "line": place.line, "tokens": place.tokens, "subject": place.subject or None}
            for place in finding.places
        ],
        "fix": {"title": fix.title, "line": fix.line, "before": fix.before, "after": fix.after} if fix else None,
    }


def history_json(history: History) -> dict[str, Any]:
    """A history: commits with their sums, files with their steps, the jumps with the largest growth first."""
    return {
        "commits": [
            {
                "id": each.commit.id,
                "time": each.commit.time.isoformat().replace("+00:00", "Z"),
                "author": each.commit.author,
                "subject": each.commit.subject,
                "tokens": each.tokens,
                "sources": dict(each.sources),
                "starts": dict(each.starts),
            }
            for each in history.commits
        ],
        "files": [
            {
                "path": file.path,
                "source": file.source,
                "steps": [{"commit": step.position, "path": step.path, "tokens": step.tokens} for step in file.steps],
            }
            for file in history.files
        ],
        "jumps": [
            {
                "commit": jump.commit.id,
                "path": jump.path,
                "source": jump.source,
                "before": jump.before,
                "after": jump.after,
                "tokens": jump.tokens,
            }
            for jump in history.jumps()
        ],
    }


def _totals(totals: Totals) -> dict[str, Any]:
    names = ("name", "files", "tokens", "share")
    kinds: dict[str, list[dict[str, Any]]] = {"source": [], "folder": [], "strategy": [], "agent": []}
    for row in totals.rows:
        kinds[row.kind].append({name: getattr(row, name) for name in names})
    unasked = {"files": totals.unasked_files, "tokens": totals.unasked}
    return {"files": totals.files, "tokens": totals.tokens, "unasked": unasked, **kinds}


def _agent(context: AgentContext) -> dict[str, Any]:
    return {
        "id": context.agent.id,
        "name": context.agent.name,
        "startTokens": context.start_tokens,
        "lostTokens": context.lost_tokens,
        "repeatedTokens": context.repeated_tokens,
        "files": [
            {
                "path": charge.path,
                "moment": charge.moment,
                "reason": charge.reason,
                "tokens": charge.tokens,
                "startTokens": charge.start_tokens,
                "lostTokens": charge.lost_tokens,
                "importedBy": charge.imported_by,
            }
            for charge in context.charges
        ],
    }


def _limit(result: LimitResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "path": result.path or None,
        "tokens": result.tokens,
        "judged": result.judged,
        "limit": result.limit,
        "passed": result.passed,
        "since": result.since or None,
        "growth": _growth(result.growth),
    }


def _growth(growth: Growth | None) -> dict[str, Any] | None:
    if growth is None:
        return None
    return {"tokens": growth.tokens, "path": growth.path or None, "pathTokens": growth.path_tokens}


def _since(since: Since) -> dict[str, Any]:
    return {
        "ref": since.ref,
        "base": since.base,
        "before": since.before.total,
        "after": since.after.total,
        "tokens": since.tokens,
        "files": [_change(change) for change in since.files],
        "agents": [
            {
                "id": change.agent,
                "name": change.name,
                "before": change.before,
                "after": change.after,
                "growth": _growth(change.growth),
            }
            for change in since.agents
        ],
    }


def _change(change: FileChange) -> dict[str, Any]:
    return {
        "path": change.path,
        "oldPath": change.old_path,
        "source": change.source,
        "kind": change.kind,
        "before": change.before,
        "after": change.after,
        "sections": [
            {"slug": section.slug, "name": section.name, "before": section.before, "after": section.after}
            for section in change.sections
        ],
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    before, after = comparison.before, comparison.after
    return {
        "known": [finding.key for finding in comparison.known],
        "gone": list(comparison.gone),
        "before": before.total,
        "after": after.total,
        "starts": {
            agent: {"before": before.start(agent), "after": after.start(agent)}
            for agent in sorted({*before.starts, *after.starts})
        },
    }


def _money(money: Money) -> Mapping[str, Any]:
    return {
        "model": money.model,
        "provider": money.provider or None,
        "expenses": [
            {"name": each.name, "tokens": each.tokens, "first": _dollars(each.first), "cached": _dollars(each.cached)}
            for each in money.expenses
        ],
        "remark": money.remark or None,
    }


def _dollars(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
