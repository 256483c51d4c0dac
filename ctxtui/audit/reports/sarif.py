"""Reports as SARIF 2.1.0, which code hosts and editors display."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from ctxtui.agents.project.base import is_at_home
from ctxtui.audit.advice import Adviser
from ctxtui.audit.costs import start_costs
from ctxtui.audit.limits import LimitResult, limit_line
from ctxtui.audit.reports.report import Report
from ctxtui.audit.types import Finding, Fix, Severity
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line, short_line
from ctxtui.core.text.secrets import redact_values
from ctxtui.version import __version__

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT: Final = "%SRCROOT%"
_LIMIT: Final = "over-limit"
# GitHub shows 5,000 results of a run and 100 places of a result. Longer messages go unread.
MOST_RESULTS: Final = 5_000
_MOST_LOCATIONS: Final = 100
_LONGEST: Final = 1_000
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_ORDER: Final = tuple(_LEVELS.values())


def to_sarif(report: Report) -> dict[str, Any]:
    """The report as one run: findings and failed limits as results, at paths relative to the project.

    A finding about a whole agent is placed at the largest file of its start. With a baseline, known findings are
    results in the state `unchanged`. Results beyond 5,000 are left out with a notice.
    """
    rules = _rules(report)
    indexes = {rule["id"]: index for index, rule in enumerate(rules)}
    locations = _Locations(report)
    # New results come first, then errors.
    results = sorted(
        _results(report, locations),
        key=lambda each: (each.get("baselineState") == "unchanged", _ORDER.index(each["level"])),
    )
    notices = [_notification(notice, locations) for notice in report.notices]
    if len(results) > MOST_RESULTS:
        left_out = f"{len(results) - MOST_RESULTS:,} of {len(results):,} findings are left out; --json has all"
        notices.append(_notification(Notice("too-many-results", left_out), locations))
    run = {
        "tool": {"driver": {"name": "ctxtui", "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The repository's folder."}}},
        "invocations": [
            {
                "executionSuccessful": report.result.is_complete,
                "toolExecutionNotifications": notices,
            }
        ],
        "results": [{**result, "ruleIndex": indexes[result["ruleId"]]} for result in results[:MOST_RESULTS]],
        "properties": {
            "tokenizer": report.counter.name,
            "tokens": report.totals.tokens,
            "files": report.totals.files,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def sarif_text(report: Report) -> str:
    """The report as the text of a SARIF file, without secrets."""
    return json.dumps(redact_values(to_sarif(report)), indent=2) + "\n"


def _rules(report: Report) -> list[dict[str, Any]]:
    rules = [_rule(rule.id, rule.severity, rule.title, rule.about) for rule in report.rules]
    named = {rule.id for rule in report.rules}
    found = [*report.findings, *(report.comparison.known if report.comparison else ())]
    others = dict.fromkeys(finding.rule for finding in found if finding.rule not in named)
    rules += [_rule(id_, "warning", id_, id_) for id_ in others]
    about = "There are more tokens than the configuration allows."
    return [*rules, _rule(_LIMIT, "error", "Over a limit", about)]


def _rule(id_: str, severity: Severity, title: str, about: str) -> dict[str, Any]:
    return {
        "id": id_,
        "name": "".join(word.capitalize() for word in id_.split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": about},
        "help": {"text": about, "markdown": about},
        "defaultConfiguration": {"level": _LEVELS[severity]},
    }


class _Locations:
    """Finds SARIF locations, also for a whole agent: the largest file of its start."""

    def __init__(self, report: Report) -> None:
        starts = start_costs(report.result.agents)
        ours = {agent: [path for path in files if not is_at_home(path)] for agent, files in starts.items()}
        self._largest = {agent: max(paths, key=starts[agent].__getitem__) for agent, paths in ours.items() if paths}

    def of(self, path: str | None, line: int | None = None, agent: str | None = None) -> list[dict[str, Any]]:
        """The location of a file, else of the largest one in an agent's start. Empty if it is elsewhere."""
        path = path or self._largest.get(agent or next(iter(self._largest), ""))
        if not path or Path(path).is_absolute() or is_at_home(path):
            return []
        region = {"region": {"startLine": line}} if line else {}
        return [{"physicalLocation": {"artifactLocation": _artifact(path), **region}}]


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path.encode("utf-8", "replace")), "uriBaseId": _ROOT}


def _results(report: Report, locations: _Locations) -> Iterator[dict[str, Any]]:
    adviser, comparison = report.adviser, report.comparison
    if comparison is None:
        yield from (_finding(finding, locations, adviser) for finding in report.findings)
    else:
        for state, findings in (("new", comparison.new), ("unchanged", comparison.known)):
            yield from ({**_finding(each, locations, adviser), "baselineState": state} for each in findings)
    yield from (_limit(result, locations) for result in report.limits if not result.passed)


def _finding(finding: Finding, locations: _Locations, adviser: Adviser) -> dict[str, Any]:
    advice = adviser.on(finding)
    told = {"remedy": advice.remedy, "hint": advice.hint, "cost": advice.cost}
    result = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": short_line(finding.message, _LONGEST)},
        "partialFingerprints": _fingerprint(finding.key),
        "locations": list(_finding_locations(finding, locations)),
        "properties": {
            "tokens": finding.tokens,
            "evidence": plain_line(finding.evidence),
            "agent": finding.agent,
            **{name: plain_line(text) for name, text in told.items() if text},
            "confidence": advice.confidence,
        },
    }
    return {**result, "fixes": [_fix(finding.fix)]} if finding.fix else result


def _finding_locations(finding: Finding, locations: _Locations) -> Iterator[dict[str, Any]]:
    """The first 100 places of a finding as locations. Code hosts show the first."""
    if not finding.places:
        yield from locations.of(finding.path, finding.line, finding.agent)
    for place in finding.places[:_MOST_LOCATIONS]:
        for location in locations.of(place.path, place.line):
            yield {**location, "message": {"text": short_line(place.subject or place.path, _LONGEST)}}


def _limit(result: LimitResult, locations: _Locations) -> dict[str, Any]:
    path = result.growth.path if result.growth and result.growth.path else result.path
    agent = result.name.rpartition(" ")[2]
    return {
        "ruleId": _LIMIT,
        "level": "error",
        "message": {"text": short_line(limit_line(result).removeprefix("FAIL "), _LONGEST)},
        "partialFingerprints": _fingerprint(f"{_LIMIT}|{result.name}|{result.path}"),
        "locations": locations.of(None if is_at_home(path) else path, agent=agent),
        "properties": {"tokens": result.tokens, "limit": result.limit},
    }


def _fix(fix: Fix) -> dict[str, Any]:
    replacement = {"deletedRegion": {"startLine": fix.line}, "insertedContent": {"text": fix.after}}
    change = {"artifactLocation": _artifact(fix.path), "replacements": [replacement]}
    return {"description": {"text": plain_line(fix.title)}, "artifactChanges": [change]}


def _notification(notice: Notice, locations: _Locations) -> dict[str, Any]:
    return {
        "level": "warning",
        "message": {"text": short_line(notice.message, _LONGEST)},
        "descriptor": {"id": notice.code},
        "locations": locations.of(notice.path, notice.line) if notice.path else [],
    }


def _fingerprint(key: str) -> dict[str, str]:
    return {"ctxtuiKey/v1": sha256(key.encode("utf-8", "replace")).hexdigest()}
