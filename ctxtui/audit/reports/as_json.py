"""Reports as JSON data with lower camel case keys: the `result` of `ctxtui audit --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctxtui.agents import AgentContext
from ctxtui.audit.advice import Adviser
from ctxtui.audit.reports.report import Report
from ctxtui.audit.totals import Totals
from ctxtui.audit.types import Finding
from ctxtui.audit.weigh.types import Weighed
from ctxtui.core.text.projection import Shapes, project
from ctxtui.core.tokens.counter import TokenCounter

if TYPE_CHECKING:
    from ctxtui.audit.baseline import Comparison
    from ctxtui.audit.history.history import History
    from ctxtui.audit.slim.change import Plan, Saved

_SHAPES: Final[Shapes] = {
    "Finding": "rule severity message path line tokens evidence agent key count places fix",
    "Advice": "remedy hint? cost? confidence",
    "Place": "path line tokens subject?",
    "Fix": "title line before after",
    "AgentContext": "id=agent.id name=agent.name start_tokens home_tokens lost_tokens repeated_tokens"
    " after_compaction subagents installed_tokens elsewhere uncounted fixed=agent.fixed files=charges",
    "Part": "what names file? note?",
    "Fixed": "what tokens of? version? by day src? captured=is_captured",
    "InstructionCount": "path instructions",
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
    "Expense": "name tokens first cached whole?",
    "ToolSize": "name tokens",
    "Price": "agent start loaded always defers note? src? checked?",
    "Plan": "changes by_hand",
    "Change": "id kind path title tokens lost saved diff",
    "Saved": "agent name before after tokens",
    "Notice": "path message",
}


def report_json(report: Report) -> dict[str, Any]:
    """The whole report. Parts that were not requested are null."""
    adviser = report.adviser
    return {
        "name": report.name,
        "cwd": report.cwd or ".",
        **report.counter.described(),
        "isComplete": report.result.is_complete,
        "findings": [finding_json(each, adviser) for each in report.findings],
        "totals": _totals(report.totals),
        "ignored": [finding_json(each, adviser) for each in report.result.ignored],
        "agents": [_agent(each, report) for each in report.result.agents],
        "longest": project(report.result.chains, _SHAPES),
        "limits": project(report.limits, _SHAPES),
        "since": project(report.since, _SHAPES),
        "baseline": _comparison(report.comparison) if report.comparison else None,
        "money": project(report.money, _SHAPES),
        "servers": [_server(each, report.counter) for each in report.mcp.servers],
    }


def finding_json(finding: Finding, adviser: Adviser) -> dict[str, Any]:
    """A finding. `fix` is the line before and after, `places` is set if there are several."""
    data: dict[str, Any] = project(finding, _SHAPES)
    return {**data, **project(adviser.on(finding), _SHAPES)}


def history_json(history: History) -> dict[str, Any]:
    """A history: commits with sums, files with steps, jumps by growth, largest first."""
    return {
        "commits": project(history.commits, _SHAPES),
        "files": project(history.files, _SHAPES),
        "jumps": project(history.jumps(), _SHAPES),
    }


def slim_json(part: Plan | tuple[Saved, ...]) -> Any:
    """A plan to save tokens, or the start tokens of each agent before and after its changes."""
    return project(part, _SHAPES)


def _agent(context: AgentContext, report: Report) -> dict[str, Any]:
    """An agent as JSON. `whole` is a better count of an estimated start, `fixed` the captured size of its own parts.

    The `instructions` of a file are null if it is not in English. The `count` leaves such files out.
    """
    data: dict[str, Any] = project(context, _SHAPES)
    id_ = context.agent.id
    files = project(report.instruction_counts(id_), _SHAPES)
    data["instructions"] = {"count": report.instructions(id_), "files": files}
    known, own = report.known.get(id_), report.own.get(id_)
    better = {"whole": project(known, _SHAPES)} if known else {}
    return data | better | ({"fixed": [project(own, _SHAPES)]} if own else {})


def _totals(totals: Totals) -> dict[str, Any]:
    kinds = {kind: project(totals.of(kind), _SHAPES) for kind in ("source", "type", "folder", "strategy", "agent")}
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


def _server(weighed: Weighed, counter: TokenCounter) -> dict[str, Any]:
    """A server. Numbers are null unless it was weighed.

    `label` and `band` say how far to trust the tokens. Prices are always estimates, because the form that agents send
    is unknown. They have the band of the definitions.
    """
    server, listing, launch = weighed.server, weighed.listing, weighed.server.launch
    band = {} if counter.exact else {"band": counter.band}
    known, priced = {"label": counter.label, **band}, {"label": "estimated", **band}
    return {
        "name": server.name,
        "path": server.path,
        "line": server.line,
        "owner": server.owner,
        "agents": list(server.agents),
        "command": launch.shown_command or None,
        "url": launch.shown_url or None,
        "variables": list(launch.variables),
        "headers": sorted(launch.headers),
        "digest": server.digest,
        "state": weighed.state,
        "why": weighed.why or None,
        "weighed": project(listing.at) if listing else None,
        "version": f"{listing.name} {listing.version}".strip() if listing else None,
        "instructions": {"tokens": weighed.instructions, **known} if listing else None,
        "tools": [{**project(tool, _SHAPES), **known} for tool in weighed.tools] if listing else None,
        "prompts": listing.prompts if listing else None,
        "resources": listing.resources if listing else None,
        "prices": [{**project(each, _SHAPES), **priced} for each in weighed.prices],
    }
