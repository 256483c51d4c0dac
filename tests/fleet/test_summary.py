"""The figures of a fleet: computed from the results, they equal what one counts by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from ctxtui.audit.limits import Limits
from ctxtui.fleet.as_json import fleet_json
from ctxtui.fleet.policy import Policy
from ctxtui.fleet.summary import Summary, at_stake, read_summary
from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Member, Outcome, TextBlock
from tests.fleet.kept import generated, keep, outcome


def fault(rule: str, severity: str = "warning", tokens: int = 0, path: str = "AGENTS.md", line: int = 1) -> Fault:
    return Fault(rule, severity, "message", path, line, tokens, f"{rule}|{path}|{line}")  # type: ignore[arg-type]


def repository(name: str, start: int, *faults: Fault, context: tuple[ContextFile, ...] = ()) -> Outcome:
    agents = (AgentStart("codex", start),)
    member = Member(name, f"/srv/{name}")
    return Outcome(member, files=1, tokens=start, agents=agents, faults=faults, context=context)


def with_text(name: str) -> Outcome:
    """A repository whose only file is one that others have, too."""
    block = TextBlock(b"shared", 1, 3_000, "Use the design system.")
    file = ContextFile("AGENTS.md", "instructions", b"file", 3_000, 3_000, (block,))
    return repository(name, 3_000, context=(file,))


def summary_of(folder: Path, *runs: Iterable[Outcome], limits: dict[str, int] | None = None) -> Summary:
    policy = Policy(Limits(start=limits)) if limits else None
    return read_summary(keep(folder / "fleet.db", *runs), policy=policy)


def test_rules_are_counted_over_all_repositories(tmp_path: Path) -> None:
    outcomes = [
        repository("a", 100, fault("paid-twice", tokens=70), fault("paid-twice", tokens=5, line=2)),
        repository("b", 300, fault("paid-twice", "info", tokens=90), fault("secret", "error", path="x.md", line=7)),
        repository("c", 200, fault("broken-link", tokens=1_000), fault("cut-by-limit", "error", tokens=40)),
    ]
    found = summary_of(tmp_path, outcomes)
    rules = {each.rule: each for each in found.rules}
    twice = rules["paid-twice"]
    assert (twice.repositories, twice.findings, twice.tokens, twice.severity) == (2, 3, 165, "warning")
    assert [tuple(each) for each in twice.worst] == [("b", 1, 90), ("a", 2, 75)]
    assert (twice.title, twice.saves) == ("Paid twice", True)
    assert [each.rule for each in found.rules] == ["cut-by-limit", "secret", "broken-link", "paid-twice"]
    assert [each.rule for each in found.first] == ["secret", "cut-by-limit", "paid-twice"], "links lose nothing"
    assert [tuple(each) for each in found.secrets] == [("b", "x.md", 7, "error")]
    stakes = {"paid-twice": "saves up to 165 tokens", "cut-by-limit": "40 tokens at stake", "secret": ""}
    assert {name: at_stake(rules[name]) for name in stakes} == stakes


def test_the_worst_have_most_errors_then_the_largest_start(tmp_path: Path) -> None:
    errors = fault("secret", "error"), fault("cut-by-limit", "error")
    outcomes = [repository("small", 10), repository("large", 90), repository("two", 5, *errors)]
    found = summary_of(tmp_path, [outcome("failed", error="gone"), *outcomes, repository("one", 50, errors[0])])
    assert [row.kept.name for row in found.worst] == ["two", "one", "large", "small", "failed"]


def test_growth_is_that_of_repositories_that_both_runs_audited(tmp_path: Path) -> None:
    before = [repository("a", 100), repository("b", 100), repository("c", 100), outcome("d", error="gone")]
    now = [repository("a", 350), repository("b", 40), repository("c", 110), repository("d", 9), repository("e", 7)]
    found = summary_of(tmp_path, before, now)
    assert [(each.repository, each.tokens) for each in found.grown] == [("a", 250), ("c", 10)]
    assert (found.shrunk, found.growth) == (1, 200)
    assert found.before is not None
    assert found.before.id == 1


def test_a_first_run_has_no_growth_and_leaves_out_repositories_without_agents(tmp_path: Path) -> None:
    found = summary_of(tmp_path, [repository("a", 100), Outcome(Member("b", "/srv/b")), outcome("c", error="gone")])
    assert (found.median_start, found.without_start) == (100, "1 repository without an agent left out")
    assert (found.before, found.grown, found.shrunk, found.growth) == (None, (), 0, 0)
    assert fleet_json(found)["growth"] is None


def test_an_empty_run_has_figures_too(tmp_path: Path) -> None:
    found = summary_of(tmp_path, [])
    assert (found.median_start, found.p90_start, found.starts, found.rules, found.first) == (0, 0, (), (), ())
    assert found.secret_total is None


def test_the_same_reasons_are_one_whatever_the_place(tmp_path: Path) -> None:
    missing = [outcome(name, error=f"/srv/{name} does not exist") for name in ("b", "a")]
    found = summary_of(tmp_path, [*missing, outcome("c", error="took longer than 300 seconds"), repository("d", 1)])
    assert [(each.reason, each.repositories) for each in found.failures] == [
        ("… does not exist", ("a", "b")),
        ("took longer than 300 seconds", ("c",)),
    ]
    assert (found.failed, len(found.audited), found.with_agents) == (3, 1, 1)


@pytest.mark.parametrize("count", [40, 200])
def test_figures_equal_those_of_a_plain_count(tmp_path: Path, count: int) -> None:
    outcomes = generated(count)
    found = summary_of(tmp_path, outcomes, limits={"codex": 2_000})
    good = [each for each in outcomes if not each.error]
    largest = sorted(max(agent.start for agent in each.agents) for each in good if each.agents)
    assert found.largest_starts == tuple(largest)
    assert found.median_start == largest[(len(largest) + 1) // 2 - 1]
    assert found.tokens == sum(each.tokens for each in good)
    assert found.failed == len(outcomes) - len(good)
    codex = next(each for each in found.starts if each.agent == "codex")
    starts = [agent.start for each in good for agent in each.agents if agent.agent == "codex"]
    over = sum(start > 2_000 for start in starts)
    assert (codex.repositories, codex.over, codex.total) == (len(starts), over, sum(starts))
    assert found.breaking == sum(any(a.agent == "codex" and a.start > 2_000 for a in each.agents) for each in good)
    assert sum(each.findings for each in found.rules) == sum(len(each.faults) for each in good)
