"""Changes of a fleet between two runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural, some
from ctxtui.fleet.results.read import (
    KeptRepository,
    KeptRun,
    RuleChange,
    agents_of,
    changed_findings,
    find_run,
    repositories,
    run_before,
)

_NAMED: Final = 3
_RULES: Final = 6
LAST: Final = "last"
"""The previous run with the same tokenizer."""


class StartChange(NamedTuple):
    """An agent's start in a repository in two runs, in tokens, 0 if not detected."""

    repository: str
    agent: str
    before: int
    after: int

    @property
    def tokens(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class FleetChange:
    """Changes from an earlier to a later run. Names are sorted, starts by growth, largest first.

    `new` and `gone` are repositories of only the later or earlier run. `failing` could be audited before, `recovered`
    can be again. All other figures cover the `compared` repositories of both runs: `tokens` of all context files in
    both, changed starts, and new and fixed findings by rule.
    """

    before: KeptRun
    after: KeptRun
    new: tuple[str, ...]
    gone: tuple[str, ...]
    failing: tuple[str, ...]
    recovered: tuple[str, ...]
    compared: int
    tokens: tuple[int, int]
    starts: tuple[StartChange, ...]
    rules: tuple[RuleChange, ...]


def since_run(connection: sqlite3.Connection, run: KeptRun, named: str) -> KeptRun:
    """The run that `--since` names, a number or `last`.

    Raises NotFound, or ContextError (invalid_request) for any other word.
    """
    if named == LAST:
        found = run_before(connection, run)
        if found is None:
            message = f"no run before run {run.id} ended and counted with {run.tokenizer}"
            raise NotFound(message, hint="leave out --since, or name a run by its number")
        return found
    if not (named.isascii() and named.isdecimal() and len(named) < 10):
        raise invalid(f"--since cannot be {named!r}", hint="name a run by its number, or `last`")
    return find_run(connection, int(named))


def check_comparable(before: KeptRun, after: KeptRun) -> None:
    """Raise ContextError (invalid_request) if two runs are the same, or counted with different tokenizers."""
    if before.id == after.id:
        raise invalid(f"run {after.id} cannot be compared with itself", hint="name another run with --since")
    if before.tokenizer != after.tokenizer:
        raise invalid(
            f"run {before.id} counted with {before.tokenizer}, run {after.id} with {after.tokenizer}",
            hint="compare runs with the same tokenizer",
        )


def changes(connection: sqlite3.Connection, before: KeptRun, after: KeptRun) -> FleetChange:
    """The changes between two runs. Raises ContextError (invalid_request) if they are not comparable."""
    check_comparable(before, after)
    old, new = ({each.name: each for each in repositories(connection, run.id)} for run in (before, after))
    both = sorted(old.keys() & new.keys())
    audited = [name for name in both if not old[name].error and not new[name].error]
    return FleetChange(
        before,
        after,
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
        tuple(name for name in both if new[name].error and not old[name].error),
        tuple(name for name in both if old[name].error and not new[name].error),
        len(audited),
        (sum(old[name].tokens for name in audited), sum(new[name].tokens for name in audited)),
        _start_changes(connection, {name: (old[name], new[name]) for name in audited}, before, after),
        tuple(changed_findings(connection, before.id, after.id)),
    )


def _start_changes(
    connection: sqlite3.Connection,
    audited: Mapping[str, tuple[KeptRepository, KeptRepository]],
    before: KeptRun,
    after: KeptRun,
) -> tuple[StartChange, ...]:
    """The changed starts of all agents in repositories that both runs audited, largest growth first."""
    found = [agents_of(connection, run.id) for run in (before, after)]
    changed = []
    for name, pair in audited.items():
        old, new = (
            {agent.agent: agent.start for agent in agents.get(kept.id, ())}
            for agents, kept in zip(found, pair, strict=True)
        )
        each = (StartChange(name, agent, old.get(agent, 0), new.get(agent, 0)) for agent in {**old, **new})
        changed += [start for start in each if start.tokens]
    return tuple(sorted(changed, key=lambda start: (-start.tokens, start.repository, start.agent)))


def other_changes(change: FleetChange) -> Iterator[tuple[str, str]]:
    """Changes besides starts, in words: the subject and the amount. Empty without changes."""
    before, after = change.tokens
    if before != after:
        yield "All context", f"{after - before:+,} tokens in {plural(change.compared, 'repository')}"
    for what, names in (
        ("New", change.new),
        ("Gone", change.gone),
        ("No longer audited", change.failing),
        ("Audited again", change.recovered),
    ):
        if names:
            yield what, f"{plural(len(names), 'repository')}: {some(list(map(plain_line, names)), _NAMED)}"
    rules = [f"{plain_line(each.rule)} +{each.new:,} −{each.gone:,}" for each in change.rules]
    if rules:
        yield "Findings", some(rules, _RULES)
