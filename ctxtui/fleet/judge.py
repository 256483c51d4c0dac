"""Judge a run by a policy: violations, exceptions, and exceptions without effect."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final, NamedTuple

from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.tokens.by_name import counter_of
from ctxtui.fleet.policy import Exemption, Policy
from ctxtui.fleet.results.read import KeptRepository, KeptRun, agents_of, counted_findings, repositories

_MOST_IN_LINE: Final = 5
# The files of a kind with more than some tokens, by repository, largest first.
_LARGE: Final = """
SELECT name, contents.tokens, path FROM files JOIN repositories AS r ON r.id = repository
JOIN contents ON contents.id = content WHERE run = ? AND kind = ? AND contents.tokens > ?
ORDER BY name, contents.tokens DESC, path
"""


class Breach(NamedTuple):
    """A limit or rule that a repository exceeds, with the actual and the allowed number.

    `judged` is the compared number: tokens, their upper bound if estimated, or findings. `path` is a file over its
    limit, empty for other limits.
    """

    repository: str
    name: str
    found: int
    judged: int
    allowed: int
    path: str = ""

    @property
    def words(self) -> str:
        """The breach as `total 12,000 > 10,000`, for an estimate with the number by which it is judged."""
        path = f" {plain_line(self.path)}" if self.path else ""
        estimate = f" (judged by {self.judged:,})" if self.judged != self.found else ""
        return f"{self.name}{path} {self.found:,}{estimate} > {self.allowed:,}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The breaches of a run by repository, breaches covered by exceptions, and useless exceptions.

    `expired` exceptions are past their date, `unused` exceptions cover nothing. `unjudged` repositories were not
    audited.
    """

    breaches: tuple[Breach, ...]
    covered: tuple[tuple[Breach, Exemption], ...]
    expired: tuple[Exemption, ...]
    unused: tuple[Exemption, ...]
    unjudged: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.breaches


def judge(connection: sqlite3.Connection, run: KeptRun, policy: Policy, today: date) -> Verdict:
    """The breaches of a policy in a run. Exceptions are valid through their last day."""
    kept = repositories(connection, run.id)
    holding = [each for each in policy.exemptions if each.until >= today]
    used: set[Exemption] = set()
    breaches: list[Breach] = []
    covered: list[tuple[Breach, Exemption]] = []
    for breach in sorted(_breaches(connection, run, policy, kept), key=lambda breach: breach.repository):
        covering = [each for each in holding if each.covers(breach.repository, breach.name)]
        used.update(covering)
        if covering:
            covered.append((breach, covering[0]))
        else:
            breaches.append(breach)
    return Verdict(
        tuple(breaches),
        tuple(covered),
        tuple(each for each in policy.exemptions if each.until < today),
        tuple(each for each in holding if each not in used),
        tuple(each.name for each in kept if each.error),
    )


def _breaches(
    connection: sqlite3.Connection, run: KeptRun, policy: Policy, kept: Iterable[KeptRepository]
) -> Iterator[Breach]:
    """The breaches of a policy by kind of limit, without regard to exceptions."""
    judged, limits = counter_of(run.tokenizer).judged, policy.limits

    def breach_if(repository: str, name: str, tokens: int, limit: int | None, path: str = "") -> Iterator[Breach]:
        # Estimates count by the upper end of their band, as in the audit of one repository.
        upper = -(-tokens * judged // 1000)
        if limit is not None and upper > limit:
            yield Breach(repository, name, tokens, upper, limit, path)

    agents = agents_of(connection, run.id)
    for each in kept:
        yield from breach_if(each.name, "total", each.tokens, limits.total)
        for agent in agents.get(each.id, ()):
            yield from breach_if(each.name, f"start {agent.agent}", agent.start, limits.start.get(agent.agent))
    for kind, limit in limits.kind.items():
        for repository, tokens, path in connection.execute(_LARGE, (run.id, kind, limit * 1000 // judged)):
            yield from breach_if(repository, f"kind {kind}", tokens, limit, path)
    totals: Counter[tuple[str, str]] = Counter()
    for repository, rule, severity, findings, _ in counted_findings(connection, run.id) if policy.most else ():
        totals[repository, rule] += findings
        totals[repository, severity] += findings
    for (repository, name), findings in totals.items():
        most = policy.most.get(name)
        if most is not None and findings > most:
            yield Breach(repository, name, findings, findings, most)


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """Lines for failing repositories, for exceptions used, expired or without effect, and for missing audits."""
    for repository, breaches in groupby(verdict.breaches, key=lambda breach: breach.repository):
        words = [breach.words for breach in breaches]
        left = len(words) - _MOST_IN_LINE
        shown = words[:_MOST_IN_LINE] + ([f"{left:,} more"] if left > 0 else [])
        yield f"FAIL {plain_line(repository)}: {'; '.join(shown)}"
    for breach, exemption in verdict.covered:
        reason = f"excepted until {exemption.until}: {plain_line(exemption.reason)}"
        yield f"ok   {plain_line(breach.repository)}: {breach.words} ({reason})"
    for exemption in verdict.expired:
        yield f"{_exception_words(exemption)} ended on {exemption.until}; remove it, or agree on another day"
    for exemption in verdict.unused:
        yield f"{_exception_words(exemption)} covers nothing; remove it"
    if verdict.unjudged:
        names = [plain_line(name) for name in verdict.unjudged[:_MOST_IN_LINE]]
        more = "" if len(names) == len(verdict.unjudged) else ", …"
        yield f"{plural(len(verdict.unjudged), 'repository')} not audited, so not judged: {', '.join(names)}{more}"


def _exception_words(exemption: Exemption) -> str:
    about = f"{plain_line(exemption.repository)}, {exemption.name}"
    return f"{plain_line(exemption.place)}: the exception for {about}"
