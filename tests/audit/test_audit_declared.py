"""Rules about declared tokens and sections."""

import pytest

from ctxtui.audit import Finding, audit
from ctxtui.core.tokens.by_name import get_counter, model_counter
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, found, ignore, one
from tests.cases import cases
from tests.conftest import Project

COUNTER = get_counter()
BODY = f"# Title\n\n## First\n\n{LOREM}\n## 2. Second {{#second}}\n\n{LOREM}{LOREM}\n"
SECOND = COUNTER.count(BODY[BODY.index("## 2.") :])
INDEX = "---\ntitle: I\ntype: index\nestimatedTokens: 3\nloadingStrategy: always\n---\n# I\n"


def catalog(tokens: object, sections: str = "", body: str = BODY) -> dict[str, str]:
    text = (
        f"---\ntitle: A\ntype: pattern\nestimatedTokens: {tokens}\nloadingStrategy: onDemand\n{sections}---\n{body}"
    )
    return {"lib/index.md": INDEX, "lib/api/index.md": INDEX, "lib/api/a.md": text}


def section(name: str, tokens: int) -> str:
    return f"  - name: '{name}'\n    estimatedTokens: {tokens}\n    keywords: [x]\n"


def test_a_number_far_off_drifts_with_the_fix_that_sets_it(project: Project) -> None:
    exact = COUNTER.count(BODY)
    finding = one(project(catalog(100)), "token-drift")
    assert (finding.path, finding.line, finding.tokens) == ("lib/api/a.md", 4, exact - 100)
    assert finding.fix is not None
    assert finding.fix.title == f"Set estimatedTokens to {exact:,}"
    assert (finding.fix.before, finding.fix.after) == ("estimatedTokens: 100", f"estimatedTokens: {exact}")
    assert "o200k_base" in finding.evidence
    # Too high a number drifts as well.
    finding = one(project(catalog(exact * 3)), "token-drift")
    assert (finding.tokens, "(-67 %)" in finding.message) == (exact * 2, True)
    # The frontmatter itself is not part of it.
    keywords = f"tags: [{', '.join(f'tag number {n}' for n in range(600))}]\n"
    assert found(project(catalog(exact, keywords)), "token-drift") == []


def test_a_drift_needs_more_than_the_share_asked_for(project: Project) -> None:
    root = project(catalog(round(COUNTER.count(BODY) / 1.6)))
    assert found(root, "token-drift")
    assert found(root, "token-drift", drift_share=0.65) == []


@pytest.mark.parametrize(("off", "drifts"), [(200, False), (201, True)])
def test_a_drift_needs_more_than_two_hundred_tokens(project: Project, off: int, drifts: bool) -> None:
    declared = COUNTER.count(LOREM)
    body = LOREM
    while COUNTER.count(body) < declared + off:
        body += "word\n" if COUNTER.count(body) + 2 <= declared + off else "\n"
    assert COUNTER.count(body) == declared + off
    assert bool(found(project(catalog(declared, body=body)), "token-drift", drift_share=0.1)) is drifts


def test_sections_drift_by_themselves(project: Project) -> None:
    sections = "sections:\n" + section("First", COUNTER.count(LOREM)) + section("Second", 60)
    finding = one(project(catalog(COUNTER.count(BODY), sections)), "token-drift")
    assert (finding.tokens, finding.line) == (SECOND - 60, 11)
    assert "section “Second” declares 60 tokens" in finding.message
    assert finding.fix is not None
    assert finding.fix.after == f"    estimatedTokens: {SECOND}"
    # Those of one name are told apart.
    body = f"# T\n\n## Same\n\nshort\n\n## Same\n\n{LOREM}{LOREM}\n"
    sections = "sections:\n" + section("Same", 10) + section("Same", 20)
    finding = one(project(catalog(COUNTER.count(body), sections, body)), "token-drift")
    assert (finding.subject, finding.fix and finding.fix.line) == ("Same (2)", 11)


def test_an_estimating_counter_offers_no_fix(project: Project) -> None:
    findings = audit(Workspace.open(project(catalog(100)), on_notice=ignore), get_counter("heuristic")).findings
    drift: Finding = next(each for each in findings if each.rule == "token-drift")
    assert drift.fix is None
    assert "estimated for heuristic" in drift.evidence


def test_a_number_that_is_right_is_right_for_every_model(project: Project) -> None:
    body = f"# T\n\n## Same\n\n{LOREM}{LOREM}\n"
    sections = "sections:\n" + section("Same", COUNTER.count(f"## Same\n\n{LOREM}{LOREM}\n"))
    workspace = Workspace.open(project(catalog(COUNTER.count(body), sections, body)), on_notice=ignore)
    for model in ("claude-opus-5-5", "gemini-3.1-pro"):
        counter = model_counter(model)
        assert not counter.exact
        assert [each for each in audit(workspace, counter).findings if each.rule == "token-drift"] == []


@cases("declared", ["'100'", "0x64", "100 # about", "!!int 100", "1e2", "+100", "[100]", "null", "-100", "9" * 20])
def test_numbers_in_odd_forms_never_raise_and_are_fixed_only_as_plain_digits(project: Project, declared: str) -> None:
    for finding in found(project(catalog(declared)), "token-drift"):
        fix = finding.fix
        assert fix is None or fix.before.replace("100", str(fix.text), 1) == fix.after


def test_a_declared_section_without_heading_is_missing(project: Project) -> None:
    sections = "sections:\n" + section("First", 20) + section("Secnd", 40)
    finding = one(project(catalog(COUNTER.count(BODY), sections)), "missing-section")
    assert (finding.line, finding.tokens, finding.subject) == (10, 40, "Secnd")
    assert "; write “2. Second”" in finding.message


@cases("name", ["First", "first", "FIRST", "2. Second", "Second", "second", "Title/First", "First-2"])
def test_sections_are_found_as_materializing_finds_them(project: Project, name: str) -> None:
    body = BODY + "\n### First-2\n\nx\n"
    sections = f"sections:\n{section(name, 20)}"
    assert found(project(catalog(COUNTER.count(body), sections, body)), "missing-section") == []


@cases(
    ("body", "is_missing"),
    [
        ("Setext\n======\n\nx\n", False),
        ("```\n# Setext\n```\n", True),
        ("> # Setext\n", True),
        ("#Setext\n", True),
        ("# Setext #\n", False),
        ("# **Setext**\n", False),
    ],
)
def test_headings_are_what_markdown_says(project: Project, body: str, is_missing: bool) -> None:
    findings = found(project(catalog(10, f"sections:\n{section('Setext', 5)}", body)), "missing-section")
    assert bool(findings) is is_missing
