"""A report: everything an audit says about a project at once, and whether it passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxtui.audit.baseline import Comparison
from ctxtui.audit.history.since_ref import Since
from ctxtui.audit.limits import LimitResult
from ctxtui.audit.prices import Money
from ctxtui.audit.rules.rule import Rule
from ctxtui.audit.totals import Totals
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, Severity
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import TokenCounter


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of the audit says; parts that nobody asked for are None or empty.

    `rules` are those that were run, in their order, `name` is the project's. With a `comparison` only findings
    that a baseline does not know count.
    """

    name: str
    counter: TokenCounter
    result: AuditResult
    totals: Totals
    rules: Sequence[Rule] = ()
    limits: tuple[LimitResult, ...] = ()
    since: Since | None = None
    comparison: Comparison | None = None
    money: Money | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that count, worst first."""
        return self.result.findings if self.comparison is None else self.comparison.new

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be read or compared."""
        return (*self.result.notices, *(self.since.notices if self.since else ()))

    def fails(self, level: Severity | None = None) -> bool:
        """Whether a limit does not hold, or a finding counts that is at least as severe as the level."""
        allowed = SEVERITIES[: SEVERITIES.index(level) + 1] if level else ()
        return not all(limit.passed for limit in self.limits) or any(
            each.severity in allowed for each in self.findings
        )
