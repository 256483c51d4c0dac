"""Advice: the parts of a message, who pays, and which findings come first."""

from __future__ import annotations

from importlib import import_module

from ctxtui.audit.advice import Adviser
from ctxtui.audit.rules import RULES
from ctxtui.audit.types import SEVERITIES, Remedy
from ctxtui.core.text.data.toml import packaged_toml
from tests.audit.reporting_helpers import finding, opened
from tests.conftest import Project


def test_advice_has_the_parts_of_the_finding_or_the_usual_remedy() -> None:
    own = Adviser(()).on(
        finding(rule="broken-link", fact="links to a.md", remedy=Remedy("write b/a.md", hint="b/a.md"))
    )
    assert (own.fact, own.hint, own.remedy, own.is_specific) == ("links to a.md", "b/a.md", "write b/a.md", True)
    usual = Adviser(()).on(finding(rule="broken-link", fact="links to a.md"))
    assert (usual.hint, usual.remedy, usual.is_specific) == ("", "correct the link, or remove it", False)


def test_every_rule_has_a_remedy() -> None:
    unknown = Adviser(()).on(finding(rule="no-such-rule", fact="x")).remedy
    assert [each.id for each in RULES if Adviser(()).on(finding(rule=each.id, fact="x")).remedy == unknown] == []


def test_the_cost_names_who_pays(project: Project) -> None:
    agents = opened(project({"CLAUDE.md": "Be brief.\n"})).agents
    adviser = Adviser(agents)
    assert adviser.on(finding(path="CLAUDE.md")).cost == "120 tokens at every start of Claude Code"
    lost = finding(rule="shadowed", agent="claude-code")
    assert adviser.on(lost).cost == "120 tokens that Claude Code does not get"
    assert adviser.on(finding(tokens=0)).cost == ""


def test_what_is_certain_always_read_and_has_a_remedy_comes_first(project: Project) -> None:
    adviser = Adviser(opened(project({"CLAUDE.md": "Be brief.\n"})).agents)
    note = finding(
        rule="near-limit", severity="info", path="CLAUDE.md", fact="it is full", remedy=Remedy("shorten it"), tokens=0
    )
    useless = finding(rule="broken-link", fact="links to a.md, which does not exist", path="docs/a.md", tokens=0)
    error = finding(rule="secret", severity="error", path="docs/a.md")
    skill = finding(rule="repeated-text", path=".claude/skills/a/SKILL.md", tokens=9_000)
    assert adviser.ranked([skill, useless, note, error]) == [error, note, useless, skill]
    assert [adviser.is_urgent(each) for each in (error, note, useless)] == [True, True, True]
    assert not adviser.is_urgent(finding(rule="blob", severity="info", path="docs/a.md"))


def test_each_row_of_the_rules_has_known_keys_values_and_a_check() -> None:
    known = {"severity", "check", "about", "tokens", "remedy", "title", "saves", "text", "likely"}
    for id_, row in packaged_toml("ctxtui.audit.rules", "rules.toml").items():
        assert set(row) <= known, id_
        assert row["severity"] in SEVERITIES, id_
        assert row["tokens"] in ("lost", "always", "used", "wrong"), id_
        module, _, name = row["check"].partition(".")
        assert callable(getattr(import_module(f"ctxtui.audit.rules.{module}"), name)), id_
