"""A report as JSON data with keys in lower camel case: the `result` of `ctxtui audit --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctxtui.agents import AgentContext
from ctxtui.audit.reports.report import Report
from ctxtui.audit.totals import Totals
from ctxtui.audit.types import Finding
from ctxtui.audit.weigh.as_json import servers_json
from ctxtui.core.projection import Shapes, project
from ctxtui.core.tokens.whole import Whole

if TYPE_CHECKING:
    from ctxtui.audit.baseline import Comparison
    from ctxtui.audit.history.history import History

_SHAPES: Final[Shapes] = {
    "Finding": "rule severity message path line tokens evidence agent key count places fix",
    "Place": "path line tokens subject?",
    "Fix": "title line before after",
    "AgentContext": "id=agent.id name=agent.name start_tokens home_tokens lost_tokens repeated_tokens"
    " after_compaction subagents installed_tokens elsewhere uncounted fixed=agent.fixed files=charges",
    "Part": "what names file? note?",
    "Fixed": "what tokens of? version? by day src",
    "Row": "id kind files",
    "Whole": "tokens label basis_tokens",
    "Chain": "agent=agent.id folder paths bytes=size root_bytes=root_size limit=limit.max? lost",
    "Charge": "path home moment reason tokens start_tokens lost_tokens imported_by since=row.since?",
    "LimitResult": "name path? tokens label? judged limit passed since? growth",
    "Growth": "tokens path? path_tokens",
    "TotalRow": "name files tokens share",
    "CommitCosts": "id=commit.id time=commit.time author=commit.author subject=commit.subject tokens sources starts",
    "FileHistory": "path source steps",
    "Step": "commit=position path tokens",
    "Jump": "commit=commit.id path source before after tokens",
    "Since": "ref base before=before.total after=after.total tokens files agents",
    "AgentChange": "id=agent name before after growth",
    "FileChange": "path old_path source kind before after sections",
    "SectionChange": "slug name before after",
    "Money": "model provider? as_of expenses remark?",
    "Expense": "name tokens first cached",
}


def report_json(report: Report) -> dict[str, Any]:
    """The whole report; parts that were not requested are null."""
    return {
        "name": report.name,
        "cwd": report.cwd or ".",
        **report.counter.described(),
        "isComplete": report.result.is_complete,
        "findings": project(report.findings, _SHAPES),
        "totals": _totals(report.totals),
        "ignored": project(report.result.ignored, _SHAPES),
        "agents": [_agent(each, report.known.get(each.agent.id)) for each in report.result.agents],
        "longest": project(report.result.chains, _SHAPES),
        "limits": project(report.limits, _SHAPES),
        "since": project(report.since, _SHAPES),
        "baseline": _comparison(report.comparison) if report.comparison else None,
        "money": project(report.money, _SHAPES),
        "servers": servers_json(report.mcp, report.counter),
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding; `fix` is the line before and after, `places` are all of them if there are several."""
    data: dict[str, Any] = project(finding, _SHAPES)
    return data


def history_json(history: History) -> dict[str, Any]:
    """A history: commits with their sums, files with their steps, jumps with the largest growth first."""
    return {
        "commits": project(history.commits, _SHAPES),
        "files": project(history.files, _SHAPES),
        "jumps": project(history.jumps(), _SHAPES),
    }


def _agent(context: AgentContext, known: Whole | None) -> dict[str, Any]:
    """An agent; `whole` is the start if more is known about it than an estimate."""
    data: dict[str, Any] = project(context, _SHAPES)
    return data | {"whole": project(known, _SHAPES)} if known else data


def _totals(totals: Totals) -> dict[str, Any]:
    kinds = {kind: project(totals.of(kind), _SHAPES) for kind in ("source", "folder", "strategy", "agent")}
    unasked = {"files": totals.unasked_files, "tokens": totals.unasked}
    return {"files": totals.files, "tokens": totals.tokens, "unasked": unasked, **kinds}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    before, after = comparison.before, comparison.after
    agents = sorted({*before.starts, *after.starts})
    return {
        "known": [finding.key for finding in comparison.known],
        "gone": list(comparison.gone),
        "before": before.total,
        "after": after.total,
        "starts": {agent: {"before": before.start(agent), "after": after.start(agent)} for agent in agents},
    }
