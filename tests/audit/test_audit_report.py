"""Reports: what passes, Markdown that foreign text cannot break out of, advice, and the lines around a finding."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ctxtui.audit.advice import Adviser
from ctxtui.audit.apply_rules import audit
from ctxtui.audit.baseline import compare_to, make_baseline
from ctxtui.audit.costs import costs_of
from ctxtui.audit.history.since_findings import FindingChanges
from ctxtui.audit.history.since_ref import since
from ctxtui.audit.limits import Limits
from ctxtui.audit.prices import start_money
from ctxtui.audit.reports.as_markdown import MAX_CHARACTERS, MAX_LINES, to_comment, to_markdown
from ctxtui.audit.reports.excerpt import excerpt
from ctxtui.audit.rules import RULES
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, Place, Remedy, Severity
from ctxtui.cli.audits.audit_table import audit_table
from ctxtui.core import get_counter
from ctxtui.core.text.data.toml import packaged_toml
from tests.audit.reporting_helpers import COUNTER, Opened, finding, opened, rule
from tests.audit.repositories import Repo
from tests.conftest import Project

HOSTILE = "](http://evil) @everyone <b>`x`</b> | **a** #1 \u202e\x1b[31m\n\n# Heading\n- ```\n<details>"


@pytest.fixture
def found(project: Project) -> Opened:
    return opened(project({"CLAUDE.md": "Be brief.\n", ".context/TASKS.md": "- [ ] x\n"}))


def _rendered(text: str) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False}).render(text))


def test_what_passes(found: Opened) -> None:
    levels: dict[Severity | None, bool] = {None: False, "error": False, "warning": True, "info": True}
    assert {level: found.report(finding()).fails(level) for level in levels} == levels
    # A limit that does not hold always fails.
    assert found.report(limits=found.check(Limits(total=1))).fails()
    assert not found.report(limits=found.check(Limits(total=100))).fails()


def test_what_a_baseline_knows_does_not_fail(found: Opened) -> None:
    result = AuditResult((finding(severity="error"),), found.agents)
    costs = costs_of(found.workspace, COUNTER, found.agents)
    baseline = make_baseline(result, costs, COUNTER)
    comparison = compare_to(baseline, result, costs, COUNTER)
    assert not found.report(*result.findings, comparison=comparison).fails("info")
    newer = AuditResult((*result.findings, finding(path="new.md")), found.agents)
    comparison = compare_to(baseline, newer, costs, COUNTER)
    report = found.report(*newer.findings, comparison=comparison)
    assert report.fails("warning")
    assert "1 new finding, 120 tokens at stake" in to_markdown(report)
    assert "The baseline has 1 more; 0 of its findings are gone." in to_markdown(report)


def test_every_part_is_told(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "# Rules\n\nBe brief.\n", ".context/GONE.md": "x\n"})
    repo.write({"CLAUDE.md": "# Rules\n\nBe briefer.\n", ".context/GONE.md": None, ".claude/rules/a.md": "New.\n"})
    found = opened(repo.root)
    change = since(found.workspace, COUNTER, "main", agents=found.agents)
    start = next(each.start_tokens for each in found.agents if each.agent.id == "claude-code")
    text = to_markdown(
        found.report(
            finding(path="CLAUDE.md", fact="twice"),
            finding(severity="error", rule="secret", fact="a key", tokens=0, evidence=""),
            rules=[rule()],
            limits=found.check(Limits(10_000, {"claude-code": 1}), since="main", before=change.before),
            since=change,
            money=start_money("gpt-4", found.agents, 100),
        )
    )
    grown = next(each for each in change.agents if each.agent == "claude-code")
    assert text.startswith("### Context of r: 2 findings, 120 tokens at stake\n")
    assert f"- `FAIL start claude-code {start} > 1 (+{grown.after - grown.before} since main" in text
    assert text.index("FAIL start") < text.index("ok   total")
    assert f"| `claude-code` | 2 | {start} | +{grown.after - grown.before} | {start * 0.00003:.4f} | – |" in text
    assert "no price for cached input of gpt-4" in text
    assert f"| `.context/GONE.md` | {COUNTER.count(chr(120) + chr(10))} | – | -" in text
    assert f"| `.claude/rules/a.md` | – | {COUNTER.count('New.' + chr(10))} | +" in text
    assert "| &nbsp;&nbsp;Rules |" in text
    assert "<summary>warning: Paid twice, 1, 120 tokens at stake</summary>" in text
    assert text.index("error: secret") < text.index("warning: Paid twice")
    assert "- `CLAUDE.md:3`: twice (120 tokens) <sub>docs, 2026-11-01</sub>" in text
    assert "\n- `AGENTS.md:3`: a key\n" in text


def test_an_estimate_an_early_end_and_that_nothing_changed_are_said(project: Project, repo: Repo) -> None:
    found = opened(project({"AGENTS.md": "x\n"}), get_counter("heuristic"))
    text = to_markdown(found.report(result=AuditResult((), found.agents, is_complete=False)))
    assert "`heuristic` (estimated, -20 % to +24 %)" in text
    assert "stopped before all rules had run" in text
    repo.commit({"AGENTS.md": "x\n"})
    found = opened(repo.root)
    text = to_markdown(found.report(since=since(found.workspace, COUNTER, "HEAD")))
    assert "0 findings, 0 tokens at stake" in text
    assert "No context file changed." in text


def _check_harmless(text: str, tags: set[str]) -> None:
    html = _rendered(text)
    assert set(re.findall(r"<(\w+)", html)) <= tags
    assert "href" not in html
    outside = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert not re.search(r"@\w|\w+://", outside)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


_TAGS = set("h3 h4 p code table thead tbody tr th td ul li details summary sub strong".split())


@example("@_")
@given(st.text(max_size=60) | st.text(alphabet="`|[]()<>@#*_-=+.:/\\&!~\n w1", max_size=40))
def test_foreign_text_stays_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    found = opened(tmp_path_factory.mktemp("r"))
    one = finding(fact=text, path=text or None, evidence=text, rule="r")
    _check_harmless(to_markdown(found.report(one, finding(rule=text or "x"), rules=[rule("r", text)])), _TAGS)


def test_a_hostile_message_adds_no_structure(found: Opened) -> None:
    tame, wild = (found.report(finding(fact=each, path=each, evidence=each)) for each in ("tame", HOSTILE))
    shapes = [re.findall(r"</?\w+", _rendered(to_markdown(each))) for each in (tame, wild)]
    assert shapes[0] == shapes[1]
    _check_harmless(to_markdown(wild), _TAGS)


def test_hostile_paths_in_tables_add_no_cells(repo: Repo) -> None:
    repo.commit({"AGENTS.md": "x\n"})
    name = ".context/a|b`c` <b>@x.md"
    repo.write({name: "# A | B\n\nx\n"})
    repo.commit()
    repo.write({name: "# A | B\n\nx and more\n"})
    found = opened(repo.root)
    text = to_markdown(found.report(since=since(found.workspace, COUNTER, "HEAD")))
    rows = re.findall(r"<tr>(.*?)</tr>", _rendered(text[text.index("#### Since") :]), re.DOTALL)
    assert "a|b`c` &lt;b&gt;@x.md" in text.replace("\\|", "|").replace("<", "&lt;").replace(">", "&gt;")
    assert all(row.count("<t") == 4 for row in rows if "file" in row or "a|b" in row)
    assert any("a|b" in row for row in rows)


def test_it_fits_into_a_comment_and_says_what_it_leaves_out(found: Opened) -> None:
    many = [finding(path=f"{'x' * 200}/{number}.md", fact="m" * 250) for number in range(2_000)]
    text = to_markdown(found.report(*many))
    assert len(text) <= MAX_CHARACTERS
    shown = text.count("- `xxx")
    assert f"… and {2_000 - shown:,} more findings" in text
    assert "more findings" not in to_markdown(found.report(*many[:5]))


def test_a_comment_has_at_most_forty_lines(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "Be brief.\n"})
    repo.write(dict.fromkeys(("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules"), "Speak JSON.\n"))
    found = opened(repo.root)
    change = since(found.workspace, COUNTER, "main", agents=found.agents)
    many = tuple(finding(path=f"{number}.md", fact=HOSTILE) for number in range(90))
    report = found.report(since=change, limits=found.check(Limits(1, kind={"instructions": 0})))
    text = to_comment(report, change, FindingChanges(many, many))
    lines = text.splitlines()
    assert MAX_LINES - 6 <= len(lines) <= MAX_LINES
    assert lines[0] == f"### Since `main` ({change.base[:8]}): {change.tokens:+,} tokens"
    assert "- `FAIL total 12 > 1`" in lines
    assert ("#### New findings: 90" in text, "#### Mended findings: 90" in text) == (True, True)
    assert text.count("- warning, `") == 10
    assert text.count("more findings") == 2
    assert "<a" not in _rendered(text)
    assert "<h1" not in _rendered(text)
    assert to_comment(replace(report, limits=()), replace(change, files=()), FindingChanges()) == ""


_LINES = st.lists(st.text("ab \x0b\u2028", max_size=6), min_size=1, max_size=300)


@given(_LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.integers(1, 300))
def test_lines_have_the_numbers_of_the_file(lines: list[str], end: str, line: int) -> None:
    found = excerpt("".join(each + end for each in lines), "a.md", line)
    assert found.marked == {line}
    assert found.first <= line
    for number, text in enumerate(found.lines, found.first):
        assert text == lines[number - 1]
    assert line > len(lines) or line in range(found.first, found.first + len(found.lines))


def test_other_places_are_marked_here_and_listed() -> None:
    places = (Place("a.md", 2), Place("a.md", 4), Place("b.md", 1), Place("b.md", 1, subject="x"))
    finding = Finding("rule", "warning", "message", path="a.md", line=2, places=places)
    found = excerpt("1\n2\n3\n4\n", "a.md", 2, finding)
    assert found.marked == {2, 4}
    assert [(each.path, each.line) for each in found.places] == [("a.md", 4), ("b.md", 1)]
    assert excerpt("", "a.md", None).lines == ()
    assert len(excerpt("x" * 100_000, "a.md", 1).lines[0]) < 10_000


def test_advice_has_the_parts_of_the_finding_or_the_usual_remedy() -> None:
    adviser, link = Adviser(()), finding(rule="broken-link", fact="links to a.md")
    own = adviser.on(replace(link, remedy=Remedy("write b/a.md", hint="b/a.md")))
    assert (own.fact, own.hint, own.remedy, own.is_specific) == ("links to a.md", "b/a.md", "write b/a.md", True)
    usual = adviser.on(link)
    assert (usual.hint, usual.remedy, usual.is_specific) == ("", "correct the link, or remove it", False)
    unknown = adviser.on(finding(rule="no-such-rule", fact="x")).remedy
    assert [each.id for each in RULES if adviser.on(finding(rule=each.id, fact="x")).remedy == unknown] == []
    # A note that git makes a warning is certain.
    severities: dict[Severity, str] = {"info": "likely", "warning": "certain"}
    for severity, confidence in severities.items():
        assert adviser.on(finding(rule="missing-path", severity=severity)).confidence == confidence


def test_the_cost_names_who_pays(project: Project) -> None:
    adviser = Adviser(opened(project({"CLAUDE.md": "Be brief.\n"})).agents)
    assert adviser.on(finding(path="CLAUDE.md")).cost == "120 tokens at every start of Claude Code"
    lost = finding(rule="shadowed", agent="claude-code")
    assert adviser.on(lost).cost == "120 tokens that Claude Code does not get"
    assert adviser.on(finding(tokens=0)).cost == ""
    both = opened(project({"AGENTS.md": "word " * 20_000, ".codex/x.toml": "", ".cursor/x": ""})).agents
    payers = Adviser(both).on(finding(rule="large-start", path="AGENTS.md", tokens=20_000)).cost
    assert payers == "20,000 tokens at every start of Cursor"
    # Only agents that read all places at the start pay for them.
    files = {"CLAUDE.md": "Be brief.\n", "AGENTS.md": "@b.md\n", ".codex/x.toml": ""}
    adviser = Adviser(opened(project(files)).agents)
    one, other = (Place(path, 1, 120) for path in ("AGENTS.md", "CLAUDE.md"))
    twice = finding(rule="repeated-text", path="AGENTS.md", places=(one, other))
    assert adviser.on(twice).cost == "120 tokens when it is read"
    assert adviser.on(replace(twice, places=(one,))).cost == "120 tokens at every start of OpenAI Codex"


def test_what_is_certain_always_read_and_has_a_remedy_comes_first(project: Project) -> None:
    adviser = Adviser(opened(project({"CLAUDE.md": "Be brief.\n"})).agents)
    note = finding(
        rule="near-limit", severity="info", path="CLAUDE.md", fact="it is full", remedy=Remedy("shorten it"), tokens=0
    )
    useless = finding(rule="broken-link", fact="links to a.md, which does not exist", path="docs/a.md", tokens=0)
    error = finding(rule="secret", severity="error", path="docs/a.md")
    skill = finding(rule="repeated-text", path=".claude/skills/a/SKILL.md", tokens=9_000)
    limit = replace(note, rule="start-over-budget", severity="error", tokens=9_000)
    assert adviser.ranked([skill, useless, note, limit, error]) == [error, limit, note, useless, skill]
    assert [adviser.is_urgent(each) for each in (error, note, useless)] == [True, True, True]
    assert not adviser.is_urgent(finding(rule="blob", severity="info", path="docs/a.md"))


def test_each_row_of_the_rules_has_known_keys_values_and_a_check() -> None:
    known = {"severity", "check", "about", "tokens", "remedy", "title", "saves", "text", "likely"}
    for id_, row in packaged_toml("ctxtui.audit.rules", "rules.toml").items():
        assert set(row) <= known, id_
        assert row["severity"] in SEVERITIES, id_
        assert row["tokens"] in ("lost", "always", "used", "wrong"), id_
        module, _, name = row["check"].rpartition(".")
        assert callable(getattr(import_module(f"ctxtui.audit.rules.{module}"), name)), id_


def test_notes_on_lost_or_wrong_text_fill_the_table(project: Project) -> None:
    root = project(
        {
            "CLAUDE.md": "Plans are in `docs/plan.md`.\n",
            "docs/a.md": "",
            ".claude/skills/a/SKILL.md": f"---\nname: a\ndescription: Describes a.\n---\n{'word ' * 9_000}",
        }
    )
    found = opened(root)
    result = audit(found.workspace)
    assert {"missing-path", "heavy-trigger"} <= {each.rule for each in result.findings if each.severity == "info"}
    table = audit_table(found.report(result=result))
    assert "note    missing-path  CLAUDE.md:1" in table
    assert "note    heavy-trigger" not in table
    assert "1 note (1 heavy-trigger); --every shows it" in table
