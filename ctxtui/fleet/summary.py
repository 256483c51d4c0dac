"""What a run says of the whole fleet: the figures that the report, its JSON, its page and the app share."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final

from ctxtui.fleet.distribution import Starts, distributions, rank
from ctxtui.fleet.judge import Verdict, judge
from ctxtui.fleet.overview import Overview, RepositoryRow, check_kept, read_overview
from ctxtui.fleet.policy import Policy
from ctxtui.fleet.results.findings import Counted, FoundAt, counted_findings, places_of
from ctxtui.fleet.results.read import KeptRun
from ctxtui.fleet.results.reading import reading
from ctxtui.fleet.rule_totals import RuleTotal, rule_totals
from ctxtui.fleet.shared_texts import SharedTexts, shared_texts
from ctxtui.fleet.since import FleetChange, StartChange, changes

LEAKS: Final = "secret"
MOST_SECRETS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Repositories that were not audited for the same reason, by name, and their places: full paths or addresses.

    In the reason, `…` stands for a place.
    """

    reason: str
    repositories: tuple[str, ...]
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """The figures of a run; `rows` are its repositories, by name.

    `counts` are the findings by repository and rule. `secrets` are the first places of secrets, `secret_total` counts
    all of them. `change` is what changed since another run, if there is one, `verdict` that of a policy, if one was
    named.
    """

    run: KeptRun
    rows: tuple[RepositoryRow, ...]
    counts: tuple[Counted, ...]
    starts: tuple[Starts, ...]
    rules: tuple[RuleTotal, ...]
    secrets: tuple[FoundAt, ...]
    texts: SharedTexts
    change: FleetChange | None = None
    verdict: Verdict | None = None

    @property
    def before(self) -> KeptRun | None:
        """The run that it is compared with."""
        return self.change.before if self.change else None

    @property
    def is_whole(self) -> bool:
        """Whether the run ended."""
        return self.run.ended is not None

    @cached_property
    def audited(self) -> tuple[RepositoryRow, ...]:
        """The repositories that were audited."""
        return tuple(row for row in self.rows if not row.kept.error)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """The repositories that were not audited by reason, the most frequent first."""
        reasons: dict[str, list[tuple[str, str]]] = {}
        for row in self.rows:
            if row.kept.error:
                reasons.setdefault(_reason(row), []).append((row.kept.name, row.kept.place))
        found = (
            Failure(reason, tuple(name for name, _ in rows), tuple(place for _, place in rows))
            for reason, rows in reasons.items()
        )
        return tuple(sorted(found, key=lambda each: (-len(each.repositories), each.reason)))

    @property
    def failed(self) -> int:
        """How many repositories were not audited."""
        return len(self.rows) - len(self.audited)

    @cached_property
    def with_agents(self) -> int:
        """How many repositories have an agent."""
        return sum(bool(row.agents) for row in self.audited)

    @property
    def tokens(self) -> int:
        """The tokens of all context files."""
        return sum(row.kept.tokens for row in self.audited)

    @property
    def files(self) -> int:
        """The number of all context files."""
        return sum(row.kept.files for row in self.audited)

    @cached_property
    def largest_starts(self) -> tuple[int, ...]:
        """The largest start of each repository with an agent, in tokens, in order."""
        return tuple(sorted(row.start for row in self.audited if row.agents))

    @property
    def median_start(self) -> int:
        """The start that half of the repositories do not pass, each with its most expensive agent."""
        return rank(self.largest_starts, 50)

    @property
    def p90_start(self) -> int:
        """The start that nine in ten repositories do not pass, each with its most expensive agent."""
        return rank(self.largest_starts, 90)

    @property
    def secret_total(self) -> RuleTotal | None:
        """How many secrets there are, and in how many repositories; None without any."""
        return next((each for each in self.rules if each.rule == LEAKS), None)

    @property
    def savings(self) -> tuple[RuleTotal, ...]:
        """The rules that save tokens, those that save most first."""
        return tuple(
            sorted((each for each in self.rules if each.saves and each.tokens), key=lambda each: -each.tokens)
        )

    @property
    def grown(self) -> tuple[StartChange, ...]:
        """The starts that grew since the run before, the largest growth first."""
        return tuple(each for each in self.change.starts if each.tokens > 0) if self.change else ()

    @property
    def shrunk(self) -> int:
        """How many starts shrank since the run before."""
        return sum(each.tokens < 0 for each in self.change.starts) if self.change else 0

    @property
    def growth(self) -> int:
        """The sum of all changes of starts since the run before, in tokens."""
        return sum(each.tokens for each in self.change.starts) if self.change else 0

    @property
    def breaking(self) -> int:
        """How many repositories break the policy."""
        return len({each.repository for each in self.verdict.breaches}) if self.verdict else 0

    @cached_property
    def worst(self) -> tuple[RepositoryRow, ...]:
        """All repositories, the worst first: most errors, then the largest start; those not audited come last."""
        return tuple(sorted(self.rows, key=_badness))

    @property
    def first(self) -> tuple[RuleTotal, ...]:
        """What to mend first: secrets, then what loses text or saves tokens, by the tokens at stake."""
        chosen = [each for each in self.rules if each.rule != LEAKS and (each.saves or each.severity == "error")]
        secret = self.secret_total
        return (*((secret,) if secret else ()), *sorted(chosen, key=lambda each: (-each.tokens, -each.repositories)))


def read_summary(
    file: Path, number: int | None = None, *, since: str = "", policy: Policy | None = None, model: str = ""
) -> Summary:
    """The figures of a run in a file with results, by default of the last that ended.

    They are compared with the run that `since` names, by default with the one before, and judged by a policy, if it
    is given. Prices are those of a model. Raises as `read_overview` does, and ContextError for runs that cannot be
    compared.
    """
    overview = read_overview(file, number, since)
    with reading(file) as connection:
        return _summary(connection, overview, policy, model)


def _summary(connection: sqlite3.Connection, overview: Overview, policy: Policy | None, model: str) -> Summary:
    run, rows, before = overview.run, overview.rows, overview.before
    # Repositories may be added while this reads.
    names = {row.kept.name for row in rows}
    counts = tuple(each for each in counted_findings(connection, run.id) if each.repository in names)
    secrets = tuple(places_of(connection, run.id, LEAKS, MOST_SECRETS))
    check_kept(overview.file, *counts, *secrets)
    starts: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        for each in row.agents:
            starts.setdefault(each.agent, []).append((each.start, row.kept.name))
    return Summary(
        run,
        rows,
        counts,
        distributions(starts, policy.limits.start if policy else None),
        rule_totals(counts),
        secrets,
        shared_texts(connection, run, model),
        changes(connection, before, run) if before is not None else None,
        judge(connection, run, policy, datetime.now(UTC).date()) if policy is not None else None,
    )


def _badness(row: RepositoryRow) -> tuple[bool, int, int, int, str]:
    errors, warnings = (row.findings.get(each, 0) for each in ("error", "warning"))
    return bool(row.kept.error), -errors, -row.start, -warnings, row.kept.name


def _reason(row: RepositoryRow) -> str:
    """Why a repository was not audited, without its place, so that the same reasons are one."""
    return row.kept.error.replace(row.kept.place, "…") if row.kept.place else row.kept.error
