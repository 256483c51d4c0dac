"""Fleet figures as JSON data with lower camel case keys: the `result` of `ctxtui fleet report --json`."""

from __future__ import annotations

from typing import Any, Final

from ctxtui.core.text.projection import Shapes, project
from ctxtui.fleet.judge import Verdict
from ctxtui.fleet.summary import Summary

_SHAPES: Final[Shapes] = {
    "KeptRun": "id began ended program tokenizer size",
    "StartDistribution": "agent repositories median p90 largest largest_in total limit over bins",
    "RuleTotal": "rule title severity saves repositories findings tokens worst",
    "RepositoryShare": "repository findings tokens",
    "FoundAt": "repository path line severity",
    "Failure": "reason repositories places",
    "RepositoryRow": "name=kept.name place=kept.place error=kept.error? commit=kept.commit? files=kept.files"
    " tokens=kept.tokens bytes=kept.bytes seconds=kept.seconds start change agents findings",
    "FleetChange": "new gone failing recovered compared tokens starts rules",
    "StartChange": "repository agent before after tokens",
    "RuleChange": "rule new gone repositories",
    "Breach": "repository name path? found judged allowed",
    "Exemption": "repository name reason until place",
    "AgentStart": "agent start home lost",
    "SharedTexts": "count repositories at_start dollars heading? texts",
    "SharedText": "head tokens repositories files paid_in at_start whole dollars places",
}


def fleet_json(summary: Summary) -> dict[str, Any]:
    """All figures. A repository's `change` is about its largest start, null without a comparison."""
    return {
        "run": project(summary.run, _SHAPES),
        "before": project(summary.before, _SHAPES),
        "audited": len(summary.audited),
        "failed": summary.failed,
        "withAgents": summary.with_agents,
        "files": summary.files,
        "tokens": summary.tokens,
        "medianStart": summary.median_start,
        "p90Start": summary.p90_start,
        "growth": summary.growth if summary.before else None,
        "starts": project(summary.starts, _SHAPES),
        "rules": project(summary.rules, _SHAPES),
        "first": [each.rule for each in summary.first],
        "secrets": project(summary.secrets, _SHAPES),
        "texts": project(summary.texts, _SHAPES),
        "since": project(summary.change, _SHAPES),
        "limits": _verdict_data(summary.verdict) if summary.verdict else None,
        "failures": project(summary.failures, _SHAPES),
        "repositories": project(summary.rows, _SHAPES),
    }


def _verdict_data(verdict: Verdict) -> dict[str, Any]:
    covered = [{"breach": breach, "exception": exemption} for breach, exemption in verdict.covered]
    return {
        "passed": verdict.passed,
        "breaches": project(verdict.breaches, _SHAPES),
        "covered": project(covered, _SHAPES),
        "expired": project(verdict.expired, _SHAPES),
        "unused": project(verdict.unused, _SHAPES),
        "unjudged": list(verdict.unjudged),
    }
