"""The findings of each rule in a whole fleet: how many, where most of them are, and what mending them brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ctxtui.audit.rules import RULES
from ctxtui.audit.types import SEVERITIES, Severity
from ctxtui.core.base.wording import plural
from ctxtui.fleet.results.findings import Counted

_WORST: Final = 3
_RULES: Final = {rule.id: rule for rule in RULES}


class Share(NamedTuple):
    """The part that a repository has in something, by its name: findings, and the tokens at stake."""

    repository: str
    findings: int
    tokens: int


@dataclass(frozen=True, slots=True)
class RuleTotal:
    """The findings of a rule in a fleet: how severe the gravest is, in how many repositories, and tokens at stake.

    `saves` if mending what the rule finds saves these tokens. `worst` are the repositories with most at stake.
    """

    rule: str
    title: str
    about: str
    severity: Severity
    saves: bool
    repositories: int
    findings: int
    tokens: int
    worst: tuple[Share, ...]


def at_stake(total: RuleTotal) -> str:
    """What mending the findings of a rule brings, in words; empty if that is not known in tokens."""
    if not total.tokens:
        return ""
    return (
        f"saves up to {plural(total.tokens, 'token')}" if total.saves else f"{plural(total.tokens, 'token')} at stake"
    )


def rule_totals(counts: Iterable[Counted]) -> tuple[RuleTotal, ...]:
    """The rules, the gravest first, then by tokens at stake."""
    found: dict[str, list[Counted]] = {}
    for each in counts:
        found.setdefault(each.rule, []).append(each)
    totals = [_total(rule, each) for rule, each in found.items()]
    return tuple(
        sorted(
            totals, key=lambda each: (SEVERITIES.index(each.severity), -each.tokens, -each.repositories, each.rule)
        )
    )


def _total(rule: str, counts: Sequence[Counted]) -> RuleTotal:
    """Findings of one rule may differ in severity, so that a repository has several counts of it."""
    sums: dict[str, Share] = {}
    for each in counts:
        had = sums.get(each.repository, Share(each.repository, 0, 0))
        sums[each.repository] = Share(each.repository, had.findings + each.findings, had.tokens + each.tokens)
    worst = sorted(sums.values(), key=lambda each: (-each.tokens, -each.findings, each.repository))
    known = _RULES.get(rule)
    return RuleTotal(
        rule,
        known.title if known else rule,
        known.about if known else "",
        min((each.severity for each in counts), key=SEVERITIES.index),
        known.saves if known else False,
        len(sums),
        sum(each.findings for each in worst),
        sum(each.tokens for each in worst),
        tuple(worst[:_WORST]),
    )
