"""Reports and histories as JSON data."""

import json
import re
from pathlib import Path
from typing import Any

from ctxtui.audit.advice import Adviser
from ctxtui.audit.baseline import compare_to, make_baseline
from ctxtui.audit.costs import costs_of
from ctxtui.audit.history.since_ref import since
from ctxtui.audit.limits import Limits
from ctxtui.audit.prices import start_money
from ctxtui.audit.reports.as_json import finding_json, history_json, report_json
from ctxtui.audit.types import AuditResult, Fix, Remedy
from tests.audit.reporting_helpers import COUNTER, finding, opened
from tests.audit.repositories import Repo, history

# Below these keys the names are those of files, agents and sources.
_BY_NAME = {"starts", "sources"}


def _keys(data: Any) -> set[str]:
    if isinstance(data, list):
        return {key for each in data for key in _keys(each)}
    if not isinstance(data, dict):
        return set()
    return set(data) | {key for name, each in data.items() if name not in _BY_NAME for key in _keys(each)}


def test_a_whole_report(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "# Rules\n\nBe brief.\n"})
    repo.write({"CLAUDE.md": "# Rules\n\nBe brief, please.\n"})
    found = opened(repo.root)
    change = since(found.workspace, COUNTER, "main", agents=found.agents)
    costs = costs_of(found.workspace, COUNTER, found.agents)
    known = AuditResult((finding(), finding(path="gone.md")), found.agents)
    result = AuditResult((finding(), finding(path="new.md")), found.agents)
    data = report_json(
        found.report(
            *result.findings,
            limits=found.check(Limits(5), since="main", before=change.before),
            since=change,
            comparison=compare_to(make_baseline(known, costs, COUNTER), result, costs, COUNTER),
            money=start_money("gpt-5", found.agents, costs.total),
        )
    )
    assert json.loads(json.dumps(data)) == data
    assert all(re.fullmatch(r"[a-z][A-Za-z]*", key) for key in _keys(data))
    assert [each["path"] for each in data["findings"]] == ["new.md"]
    assert data["baseline"]["gone"] == [finding(path="gone.md").key]
    assert data["baseline"]["known"] == [finding().key]
    tokens = COUNTER.count("# Rules\n\nBe brief, please.\n")
    assert data["totals"]["tokens"] == tokens == data["since"]["after"]
    assert data["totals"]["source"] == [{"name": "agents", "files": 1, "tokens": tokens, "share": 1.0}]
    assert data["limits"][0]["passed"] is False
    assert data["limits"][0]["growth"]["tokens"] == data["since"]["tokens"] == change.tokens
    (file,) = data["since"]["files"]
    assert (file["kind"], file["path"]) == ("changed", "CLAUDE.md")
    assert [each["slug"] for each in file["sections"]] == ["rules"]
    agent = next(each for each in data["agents"] if each["id"] == "claude-code")
    assert agent["startTokens"] == sum(each["startTokens"] for each in agent["files"])
    assert data["money"]["expenses"][-1]["first"] > data["money"]["expenses"][-1]["cached"] > 0


def test_parts_that_nobody_asked_for_are_null(tmp_path: Path) -> None:
    data = report_json(opened(tmp_path).report())
    assert (data["since"], data["baseline"], data["money"], data["limits"]) == (None, None, None, [])


def test_a_fix_shows_the_line_before_and_after() -> None:
    fix = Fix("a.md", 4, "Set it", "x: 5", "x: 90", 0, 1, "90", b"")
    shown = finding_json(finding(remedy=Remedy("set it", steps=(fix,))), Adviser(()))["fix"]
    assert shown == {"title": "Set it", "line": 4, "before": "x: 5", "after": "x: 90"}


def test_a_history(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "one\n"}, "first")
    last = repo.commit({"CLAUDE.md": "one and two\n"}, "second")
    data = history_json(history(opened(repo.root).workspace, COUNTER))
    assert json.loads(json.dumps(data)) == data
    assert all(re.fullmatch(r"[a-z][A-Za-z]*", key) for key in _keys(data))
    assert [each["subject"] for each in data["commits"]] == ["first", "second"]
    assert data["commits"][1]["time"] == "2023-11-15T00:13:20Z"
    tokens = COUNTER.count("one and two\n")
    assert data["commits"][1]["sources"] == {"agents": tokens}
    assert data["files"][0]["steps"][1] == {"commit": 1, "path": "CLAUDE.md", "tokens": tokens}
    assert [(each["commit"], each["tokens"]) for each in data["jumps"]] == [(last, 2)]
