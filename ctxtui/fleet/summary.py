"""The figures of a run that text, JSON, page and app share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.audit.rules import RULES
from ctxtui.audit.types import SEVERITIES, Severity
from ctxtui.core.base.wording import plural
from ctxtui.core.tokens.by_name import counter_of
from ctxtui.fleet.distribution import StartDistribution, distributions, percentile
from ctxtui.fleet.judge import Verdict, judge
from ctxtui.fleet.overview import RepositoryRow, check_kept, read_overview
from ctxtui.fleet.policy import Policy
from ctxtui.fleet.results.read import Counted, FoundAt, KeptRun, counted_findings, first_places
from ctxtui.fleet.results.schema import reading
from ctxtui.fleet.shared_texts import SharedTexts, shared_texts
from ctxtui.fleet.since import FleetChange, StartChange, changes

LEAKS: Final = "secret"
MOST_SECRETS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Repositories that failed for the same `reason`, in which `…` stands for the place."""

    reason: str
    repositories: tuple[str, ...]
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """The figures of a run. `rows` are its repositories by name.

    `counts` are findings by repository and rule. `secrets` are the first places of secrets, `secret_total` counts all
    of them. `change` is set with a run for comparison, `verdict` with a policy.
    """

    run: KeptRun
    rows: tuple[RepositoryRow, ...]
    counts: tuple[Counted, ...]
    starts: tuple[StartDistribution, ...]
    rules: tuple[RuleTotal, ...]
    secrets: tuple[FoundAt, ...]
    texts: SharedTexts
    change: FleetChange | None = None
    verdict: Verdict | None = None

    @property
    def before(self) -> KeptRun | None:
        return self.change.before if self.change else None

    @property
    def is_whole(self) -> bool:
        """Whether the run ended, so that no repository is missing."""
        return self.run.ended is not None

    @cached_property
    def audited(self) -> tuple[RepositoryRow, ...]:
        return tuple(row for row in self.rows if not row.kept.error)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Failed repositories by reason, most frequent first."""
        reasons: dict[str, list[tuple[str, str]]] = {}
        for row in self.rows:
            kept = row.kept
            if kept.error:
                reason = kept.error.replace(kept.place, "…") if kept.place else kept.error
                reasons.setdefault(reason, []).append((kept.name, kept.place))
        found = (Failure(reason, *zip(*rows, strict=True)) for reason, rows in reasons.items())
        return tuple(sorted(found, key=lambda each: (-len(each.repositories), each.reason)))

    @property
    def failed(self) -> int:
        """The number of repositories that could not be audited."""
        return len(self.rows) - len(self.audited)

    @cached_property
    def with_agents(self) -> int:
        return sum(bool(row.agents) for row in self.audited)

    @property
    def tokens(self) -> int:
        return sum(row.kept.tokens for row in self.audited)

    @property
    def files(self) -> int:
        return sum(row.kept.files for row in self.audited)

    @cached_property
    def largest_starts(self) -> tuple[int, ...]:
        """The largest start of each repository with an agent, in tokens, sorted."""
        return tuple(sorted(row.start for row in self.audited if row.agents))

    @property
    def median_start(self) -> int:
        """The median of the repositories' largest starts."""
        return percentile(self.largest_starts, 50)

    @property
    def without_start(self) -> str:
        """The audited repositories without an agent, and so without a start, in words. Empty if there are none."""
        count = len(self.audited) - self.with_agents
        return f"{plural(count, 'repository')} without an agent left out" if count else ""

    @property
    def p90_start(self) -> int:
        """The 90th percentile of the repositories' largest starts."""
        return percentile(self.largest_starts, 90)

    @property
    def secret_total(self) -> RuleTotal | None:
        """The number of secrets and of repositories with secrets, or None without secrets."""
        return next((each for each in self.rules if each.rule == LEAKS), None)

    @property
    def savings(self) -> tuple[RuleTotal, ...]:
        """The rules whose fixes save tokens, largest saving first."""
        found = (each for each in self.rules if each.saves and each.tokens)
        return tuple(sorted(found, key=lambda each: -each.tokens))

    @property
    def grown(self) -> tuple[StartChange, ...]:
        """Starts that grew since the previous run, largest growth first."""
        return tuple(each for each in self.change.starts if each.tokens > 0) if self.change else ()

    @property
    def shrunk(self) -> int:
        """The number of starts that shrank since the previous run."""
        return sum(each.tokens < 0 for each in self.change.starts) if self.change else 0

    @property
    def growth(self) -> int:
        """The sum of all start changes since the previous run, in tokens."""
        return sum(each.tokens for each in self.change.starts) if self.change else 0

    @property
    def breaking(self) -> int:
        """The number of repositories that break the policy, 0 without a policy."""
        return len({each.repository for each in self.verdict.breaches}) if self.verdict else 0

    @cached_property
    def worst(self) -> tuple[RepositoryRow, ...]:
        """All repositories by errors, then by largest start. Failed repositories come last."""
        return tuple(sorted(self.rows, key=_badness))

    @property
    def first(self) -> tuple[RuleTotal, ...]:
        """The first rules to fix: secrets, then errors and savings, worst severity first, then by tokens at stake."""
        chosen = [each for each in self.rules if each.rule == LEAKS or each.saves or each.severity == "error"]
        return tuple(sorted(chosen, key=lambda each: each.rule != LEAKS))


def read_summary(
    file: Path, number: int | None = None, *, since: str = "", policy: Policy | None = None, model: str = ""
) -> Summary:
    """The figures of a run, by default of the last finished run.

    They are compared with the run `since`, by default the previous run, and judged by `policy`. Prices are for
    `model`. Raises as `read_overview` does, and ContextError for runs that are not comparable.
    """
    overview = read_overview(file, number, since)
    run, rows, before = overview.run, overview.rows, overview.before
    # Another process may add repositories during this read.
    names = {row.kept.name for row in rows}
    starts: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        for each in row.agents:
            starts.setdefault(each.agent, []).append((each.start, row.kept.name))
    limits, judged = (policy.limits.start, counter_of(run.tokenizer).judged) if policy is not None else (None, 1000)
    with reading(file) as connection:
        counts = tuple(each for each in counted_findings(connection, run.id) if each.repository in names)
        secrets = tuple(first_places(connection, run.id, LEAKS, MOST_SECRETS))
        check_kept(file, *counts, *secrets)
        return Summary(
            run,
            rows,
            counts,
            distributions(starts, limits, judged),
            rule_totals(counts),
            secrets,
            shared_texts(connection, run, model),
            changes(connection, before, run) if before is not None else None,
            judge(connection, run, policy, datetime.now(UTC).date()) if policy is not None else None,
        )


def _badness(row: RepositoryRow) -> tuple[bool, int, int, int, str]:
    errors, warnings = (row.findings.get(each, 0) for each in ("error", "warning"))
    return bool(row.kept.error), -errors, -row.start, -warnings, row.kept.name


_WORST: Final = 3
_RULES: Final = {rule.id: rule for rule in RULES}


class RepositoryShare(NamedTuple):
    """The findings of one repository and the tokens at stake."""

    repository: str
    findings: int
    tokens: int


@dataclass(frozen=True, slots=True)
class RuleTotal:
    """The findings of a rule in a fleet: worst severity, number of repositories, tokens at stake.

    A fix of a rule that `saves` saves these tokens. `worst` are the repositories with most at stake.
    """

    rule: str
    title: str
    about: str
    severity: Severity
    saves: bool
    repositories: int
    findings: int
    tokens: int
    worst: tuple[RepositoryShare, ...]


def at_stake(total: RuleTotal) -> str:
    """The value of fixing the findings of a rule, in words, empty if unknown."""
    if not total.tokens:
        return ""
    tokens = plural(total.tokens, "token")
    return f"saves up to {tokens}" if total.saves else f"{tokens} at stake"


def rule_totals(counts: Iterable[Counted]) -> tuple[RuleTotal, ...]:
    """The rules, worst severity first, then by tokens at stake."""
    found: dict[str, list[Counted]] = {}
    for each in counts:
        found.setdefault(each.rule, []).append(each)
    totals = (_total(rule, each) for rule, each in found.items())
    return tuple(sorted(totals, key=_urgency))


def _urgency(total: RuleTotal) -> tuple[int, int, int, str]:
    return SEVERITIES.index(total.severity), -total.tokens, -total.repositories, total.rule


def _total(rule: str, counts: Sequence[Counted]) -> RuleTotal:
    """Add up the counts of a rule. A repository has one count per severity."""
    sums: dict[str, RepositoryShare] = {}
    for name, _, _, findings, tokens in counts:
        had = sums.get(name, RepositoryShare(name, 0, 0))
        sums[name] = RepositoryShare(name, had.findings + findings, had.tokens + tokens)
    worst = sorted(sums.values(), key=lambda each: (-each.tokens, -each.findings, each.repository))
    known = _RULES.get(rule)
    title, about, saves = (known.title, known.about, known.saves) if known else (rule, "", False)
    severity = min((each.severity for each in counts), key=SEVERITIES.index)
    findings, tokens = sum(each.findings for each in worst), sum(each.tokens for each in worst)
    return RuleTotal(rule, title, about, severity, saves, len(sums), findings, tokens, tuple(worst[:_WORST]))
