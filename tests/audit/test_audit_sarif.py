"""SARIF 2.1.0: its shape, and that it names no place outside the project."""

import json
import re
from typing import Any
from urllib.parse import unquote

import pytest

from ctxtui.audit.baseline import compare_to, make_baseline
from ctxtui.audit.costs import Costs
from ctxtui.audit.limits import Limits
from ctxtui.audit.reports.sarif import sarif_text, to_sarif
from ctxtui.audit.types import AuditResult, Fix, Place, Remedy
from ctxtui.core.base.notices import Notice
from ctxtui.version import __version__
from ctxtui.workspace.scope import Scope
from tests.audit.reporting_helpers import COUNTER, Opened, finding, opened, rule
from tests.audit.weigh_helpers import in_home
from tests.conftest import Project


@pytest.fixture
def found(project: Project) -> Opened:
    return opened(project({"CLAUDE.md": "Be brief.\n", ".context/TASKS.md": "- [ ] x\n"}))


def _check(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The rules of the standard that the parts we write come under; gives the results."""
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = document["runs"]
    assert set(run) <= {"tool", "columnKind", "originalUriBaseIds", "invocations", "results", "properties"}
    rules = run["tool"]["driver"]["rules"]
    assert len({each["id"] for each in rules}) == len(rules)
    for each in rules:
        assert each["help"]["text"]
        assert each["shortDescription"]["text"]
        assert each["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in result["partialFingerprints"].values())
        for location in result["locations"]:
            place = location["physicalLocation"]
            _check_artifact(place["artifactLocation"], run)
            assert place.get("region", {"startLine": 1})["startLine"] >= 1
        for fix in result.get("fixes", ()):
            for change in fix["artifactChanges"]:
                _check_artifact(change["artifactLocation"], run)
                assert all(set(each) == {"deletedRegion", "insertedContent"} for each in change["replacements"])
    results: list[dict[str, Any]] = run["results"]
    return results


def _check_artifact(artifact: dict[str, Any], run: dict[str, Any]) -> None:
    assert artifact["uriBaseId"] in run["originalUriBaseIds"]
    uri = artifact["uri"]
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri)
    assert not uri.startswith("/")


def test_findings_as_results(found: Opened) -> None:
    document = to_sarif(found.report(finding(path="a b/ä#%.md"), finding(severity="info", line=None), rules=[rule()]))
    first, second = _check(document)
    assert document["runs"][0]["tool"]["driver"]["semanticVersion"] == __version__
    place = first["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == "a b/ä#%.md"
    assert place["region"] == {"startLine": 3}
    assert (first["level"], second["level"]) == ("warning", "note")
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert first["properties"]["tokens"] == 120


def test_fingerprints_outlive_lines_and_numbers(found: Opened) -> None:
    findings = finding(), finding(line=77, tokens=9, fact="else"), finding(subject="else")
    one, moved, other = (each["partialFingerprints"] for each in _check(to_sarif(found.report(*findings))))
    assert one == moved != other


def _uri(result: dict[str, Any]) -> str:
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def test_what_has_no_file_of_its_own(found: Opened, project: Project) -> None:
    # What is about an agent stands at the largest file of its start.
    (result,) = _check(to_sarif(found.report(finding(path=None, line=None, agent="claude-code", rule="my-own"))))
    assert (_uri(result), result["ruleId"]) == ("CLAUDE.md", "my-own")
    empty = opened(project({"x.py": "pass\n"}))
    (result,) = _check(to_sarif(empty.report(finding(path=None, line=None))))
    assert result["locations"] == []
    # Limits that do not hold are results.
    limits = found.check(Limits(total=1, start={"claude-code": 1_000}))
    (result,) = _check(to_sarif(found.report(limits=limits)))
    assert (result["ruleId"], result["level"]) == ("over-limit", "error")
    assert result["message"]["text"].startswith("total ")
    assert _uri(result) in ("CLAUDE.md", ".context/TASKS.md")


def test_what_is_about_a_start_never_stands_at_a_file_of_the_users(project: Project) -> None:
    in_home({".claude/CLAUDE.md": "More words than in the project.\n"})
    found = opened(project({"CLAUDE.md": "Be brief.\n", "AGENTS.md": "x\n"}), scope=Scope(home=True))
    limits = found.check(Limits(start={"claude-code": 1}))
    report = found.report(finding(path=None, line=None, agent="claude-code"), limits=limits)
    assert {_uri(result) for result in _check(to_sarif(report))} == {"CLAUDE.md"}


def test_a_baseline_gives_states(found: Opened) -> None:
    known = finding()
    baseline = make_baseline(AuditResult((known,), ()), Costs(), COUNTER)
    result = AuditResult((known, finding(path="new.md")), found.agents)
    comparison = compare_to(baseline, result, Costs(), COUNTER)
    results = _check(to_sarif(found.report(*result.findings, comparison=comparison)))
    assert [each["baselineState"] for each in results] == ["new", "unchanged"]


def test_every_place_of_a_finding_is_a_location_with_its_line(found: Opened) -> None:
    places = (Place("a.md", 3), Place("b.md", 7, subject="x"), Place("c.md"))
    (result,) = _check(to_sarif(found.report(finding(path="a.md", cause="c", places=places))))
    told = [each["physicalLocation"] for each in result["locations"]]
    regions = [(each["artifactLocation"]["uri"], each.get("region")) for each in told]
    assert regions == [("a.md", {"startLine": 3}), ("b.md", {"startLine": 7}), ("c.md", None)]
    assert "relatedLocations" not in result


def test_what_code_hosts_would_refuse_is_cut_and_said(found: Opened) -> None:
    places = tuple(Place(f"{number}.md", 1) for number in range(300))
    findings = [finding(severity="info", subject=str(number)) for number in range(5_001)]
    error = finding(severity="error", fact="x" * 5_000, cause="c", places=places)
    document = to_sarif(found.report(*findings, error))
    first, *others = _check(document)
    assert first["level"] == "error"
    assert len(first["message"]["text"]) == 1_000
    assert len(first["locations"]) == 100
    assert len(others) == 4_999
    (notice,) = document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("2 of 5,002 findings are left out")


def test_fixes_replace_whole_lines(found: Opened) -> None:
    fix = Fix("a.md", 4, "Set estimatedTokens to 90", "estimatedTokens: 5", "estimatedTokens: 90", 0, 1, "90", b"")
    (result,) = _check(to_sarif(found.report(finding(remedy=Remedy("set it", steps=(fix,))))))
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {"deletedRegion": {"startLine": 4}, "insertedContent": {"text": "estimatedTokens: 90"}}
    ]


def test_notices_and_an_early_end(found: Opened) -> None:
    notices = (Notice("unreadable-file", "may not be read", "a.md", 2), Notice("cache", "gone", "/home/me/cache.db"))
    report = found.report(result=AuditResult((), found.agents, notices, is_complete=False))
    (invocation,) = to_sarif(report)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    first, second = invocation["toolExecutionNotifications"]
    assert first["descriptor"] == {"id": "unreadable-file"}
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}
    assert second["locations"] == []


def test_hostile_text_is_plain_and_no_path_is_absolute(found: Opened) -> None:
    (result,) = _check(to_sarif(found.report(finding(fact="a\x1b[31m\u202eb\nc", path="x\n\ud800.md"))))
    assert result["message"]["text"] == "a\u241b[31m\ufffdb c"
    json.dumps(result).encode("utf-8")
    report = found.report(finding(), limits=found.check(Limits(total=1)))
    assert str(found.workspace.root) not in sarif_text(report)
    assert json.loads(sarif_text(report)) == to_sarif(report)
