"""What changed between two runs: by definition, the other way around, and only if they can be compared."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.fleet.results.read import RuleChange, find_run
from ctxtui.fleet.results.schema import open_to_write, reading
from ctxtui.fleet.run import begin_run
from ctxtui.fleet.since import StartChange, changes, since_run
from ctxtui.fleet.types import AgentStart, Fault, Member, Outcome
from tests.fleet.kept import keep
from tests.fleet.results_helpers import results


def fault(rule: str, key: str) -> Fault:
    return Fault(rule, "error", "message", "A.md", 1, 0, key)


_faults = st.lists(st.builds(fault, st.sampled_from(["secret", "blob"]), st.sampled_from("ab")), max_size=5).map(
    tuple
)
_agents = st.dictionaries(st.sampled_from(["codex", "cursor"]), st.integers(0, 9), max_size=2).map(
    lambda starts: tuple(AgentStart(*each) for each in starts.items())
)
_errors = st.sampled_from(["", "", "", "is gone"])
_one = st.tuples(_errors, st.integers(0, 99), _agents, _faults)
_runs = st.dictionaries(st.sampled_from(["a", "b", "ü/'x", "d\u202e"]), _one)


def outcomes(run) -> list[Outcome]:
    return [
        Outcome(Member(name, "/x"), error)
        if error
        else Outcome(Member(name, "/x"), tokens=tokens, agents=agents, faults=faults)
        for name, (error, tokens, agents, faults) in run.items()
    ]


@given(one=_runs, other=_runs)
def test_changes_are_those_of_a_straightforward_comparison(tmp_path: Path, one, other) -> None:
    with results(tmp_path, outcomes(one), outcomes(other)) as connection:
        found = changes(connection, find_run(connection, 1), find_run(connection, 2))
    audited = sorted(name for name in one if name in other and not one[name][0] and not other[name][0])
    assert found.compared == len(audited)
    assert found.new == tuple(sorted(set(other) - set(one)))
    assert found.gone == tuple(sorted(set(one) - set(other)))
    assert found.failing == tuple(sorted(name for name in one if not one[name][0] and other.get(name, [""])[0]))
    assert found.recovered == tuple(sorted(name for name in other if not other[name][0] and one.get(name, [""])[0]))
    assert found.tokens == tuple(sum(run[name][1] for name in audited) for run in (one, other))
    starts = set()
    keys: tuple[Counter, Counter] = (Counter(), Counter())
    for name in audited:
        old, new = ({agent.agent: agent.start for agent in run[name][2]} for run in (one, other))
        starts |= {(name, agent, old.get(agent, 0), new.get(agent, 0)) for agent in {*old, *new}}
        for count, run in zip(keys, (one, other), strict=True):
            count.update((name, each.rule, each.key) for each in run[name][3])
    assert set(found.starts) == {StartChange(*each) for each in starts if each[2] != each[3]}
    assert [start.tokens for start in found.starts] == sorted((start.tokens for start in found.starts), reverse=True)
    new, gone = keys[1] - keys[0], keys[0] - keys[1]
    assert set(found.rules) == {
        RuleChange(
            rule,
            sum(count for each, count in new.items() if each[1] == rule),
            sum(count for each, count in gone.items() if each[1] == rule),
            len({each[0] for each in new + gone if each[1] == rule}),
        )
        for rule in {each[1] for each in new + gone}
    }


def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    path = keep(tmp_path / "fleet.db", [], [])
    with open_to_write(path) as connection:
        begin_run(connection, "1", "cl100k_base", b"", 0, fresh=True)
    connection.close()
    with reading(path) as connection:
        one, two, three = (find_run(connection, number) for number in (1, 2, 3))
        with pytest.raises(ContextError, match="run 2 cannot be compared with itself"):
            changes(connection, two, two)
        with pytest.raises(ContextError, match="run 1 counted with o200k_base, run 3 with cl100k_base"):
            changes(connection, one, three)
        assert since_run(connection, two, "last") == since_run(connection, two, "1") == one
        for run, named in ((one, "last"), (three, "last"), (two, "9")):
            with pytest.raises(NotFound, match="no run"):
                since_run(connection, run, named)
        for named in ("", "-1", "yesterday", "²", "1" * 5_000):
            with pytest.raises(ContextError, match="--since cannot be"):
                since_run(connection, two, named)
