"""Advice: the parts of a message, who pays, and which findings come first."""

from __future__ import annotations

import pytest

from ctxtui.audit.advice import Adviser
from ctxtui.audit.rules import RULES
from tests.audit.reporting_helpers import finding, opened
from tests.conftest import Project


@pytest.mark.parametrize(
    ("rule", "message", "fact", "hint", "remedy"),
    [
        ("shadowed", "it is not read; write `@AGENTS.md` into CLAUDE.md", "it is not read", "", "write `@AGENTS.md`"),
        (
            "broken-link",
            "links to a.md, which does not exist; b/a.md does",
            "links to a.md,",
            "b/a.md",
            "write b/a.md",
        ),
        (
            "missing-path",
            "names `a`, which is not; the nearest name is b/",
            "names `a`, which is not",
            "b/",
            "write b/",
        ),
        (
            "never-loaded",
            "Cursor never loads it: Rules must end in .mdc; a plain .md file",
            "Cursor",
            "",
            "rename it",
        ),
        (
            "dead-glob",
            "`*.x` matches no file; the rule never loads",
            "`*.x` matches no file; the rule",
            "",
            "correct",
        ),
        (
            "frontmatter-rejected",
            "mends it, strict readers drop it: quote the value",
            "mends it, strict",
            "",
            "quote",
        ),
    ],
)
def test_a_message_is_divided(rule: str, message: str, fact: str, hint: str, remedy: str) -> None:
    advice = Adviser(()).on(finding(rule=rule, message=message))
    assert advice.fact.startswith(fact)
    assert advice.hint == hint
    assert advice.remedy.startswith(remedy)
    assert advice.remedy not in advice.fact


def test_every_rule_has_a_remedy() -> None:
    unknown = Adviser(()).on(finding(rule="no-such-rule", message="x")).remedy
    assert [each.id for each in RULES if Adviser(()).on(finding(rule=each.id, message="x")).remedy == unknown] == []


def test_the_cost_names_who_pays(project: Project) -> None:
    agents = opened(project({"CLAUDE.md": "Be brief.\n"})).agents
    adviser = Adviser(agents)
    assert adviser.on(finding(path="CLAUDE.md")).cost == "120 tokens at every start of Claude Code"
    lost = finding(rule="shadowed", agent="claude-code")
    assert adviser.on(lost).cost == "120 tokens that Claude Code does not get"
    assert adviser.on(finding(tokens=0)).cost == ""


def test_what_is_certain_always_read_and_has_a_remedy_comes_first(project: Project) -> None:
    adviser = Adviser(opened(project({"CLAUDE.md": "Be brief.\n"})).agents)
    note = finding(rule="near-limit", severity="info", path="CLAUDE.md", message="it is full; shorten it", tokens=0)
    useless = finding(rule="broken-link", message="links to a.md, which does not exist", path="docs/a.md", tokens=0)
    error = finding(rule="secret", severity="error", path="docs/a.md")
    skill = finding(rule="repeated-text", path=".claude/skills/a/SKILL.md", tokens=9_000)
    assert adviser.ranked([skill, useless, note, error]) == [error, note, useless, skill]
    assert [adviser.is_urgent(each) for each in (error, note, useless)] == [True, True, True]
    assert not adviser.is_urgent(finding(rule="blob", severity="info", path="docs/a.md"))
