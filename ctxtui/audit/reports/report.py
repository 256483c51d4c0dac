"""A report: everything an audit says about a project at once, and whether it passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.agents import Agent, Start, longest_told, starts_of
from ctxtui.agents.types import AT_START
from ctxtui.audit.limits import LimitResult
from ctxtui.audit.rules.rule import Rule
from ctxtui.audit.totals import Totals
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, Settings, Severity
from ctxtui.audit.weigh.types import NO_SERVERS, Weighing
from ctxtui.core.base.notices import Notice
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.whole import Whole

if TYPE_CHECKING:
    from ctxtui.audit.baseline import Comparison
    from ctxtui.audit.history.since_ref import Since
    from ctxtui.audit.prices import Money

# The tokens of a useless call.
_IN_VAIN = 50
# Codex is found by AGENTS.md alone, which other agents read as well.
_MAIN, _CODEX = "AGENTS.md", "codex"


class RuleFindings(NamedTuple):
    """The findings of one rule and severity; `rule` is None for one that is not in the table."""

    severity: Severity
    id: str
    rule: Rule | None
    findings: list[Finding]

    @property
    def tokens(self) -> int:
        """The tokens at stake in all of them."""
        return sum(finding.tokens for finding in self.findings)

    @property
    def weight(self) -> int:
        """The tokens at stake; a place without any, such as a broken link, counts as a useless call."""
        return sum(finding.tokens or finding.count * _IN_VAIN for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of the audit says; parts that were not requested are None or empty.

    `rules` are those that were run, in their order, with `settings`; `name` is the project's, `looked_for` are all
    agents, `mcp` the servers that agents start. With a `comparison`, only findings that a baseline lacks count.
    `known` is what is known of starts beyond an estimate, by agent id.
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
    looked_for: Sequence[Agent] = ()
    settings: Settings = field(default_factory=Settings)
    mcp: Weighing = NO_SERVERS
    known: Mapping[str, Whole] = field(default_factory=dict)

    @property
    def cwd(self) -> str:
        """The folder below the root where agents start; empty for the root."""
        return self.settings.cwd

    @property
    def starts(self) -> tuple[Start, ...]:
        """What the agents that load anything have in context at the start, highest first."""
        starts = starts_of(self.result.agents)
        return tuple(replace(start, whole=self.known.get(start.agent)) for start in starts)

    @property
    def also_readers(self) -> tuple[str, ...]:
        """The agents that read AGENTS.md too, by name, if only one that leaves it as its trace was found."""
        found = [each.agent.id for each in self.result.agents if not each.agent.installable]
        is_read = any(charge.path == _MAIN for each in self.result.agents for charge in each.at(*AT_START))
        others = (each for each in self.looked_for if each.id not in found and not each.installable)
        return tuple(each.name for each in others if _reads_main(each)) if found == [_CODEX] and is_read else ()

    def longest(self, every: bool = False) -> tuple[str, ...]:
        """The folders where agents start with most instructions, in words, unless it is this one."""
        return longest_told(self.result.chains, self.cwd, every)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that count, worst first."""
        return self.result.findings if self.comparison is None else self.comparison.new

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The files that could not be read or compared."""
        return (*self.result.notices, *(self.since.notices if self.since else ()))

    @property
    def told(self) -> tuple[RuleFindings, ...]:
        """The findings that count by severity and rule; within a severity, those that cost or break most first."""
        rules = {rule.id: rule for rule in self.rules}
        groups: dict[tuple[Severity, str], list[Finding]] = {}
        for finding in self.findings:
            groups.setdefault((finding.severity, finding.rule), []).append(finding)
        told = (RuleFindings(severity, id_, rules.get(id_), found) for (severity, id_), found in groups.items())
        return tuple(sorted(told, key=lambda each: (SEVERITIES.index(each.severity), -each.weight, each.id)))

    @property
    def may_save(self) -> bool:
        """Whether an error or a warning says that a start could be smaller; only a plan measures by how much."""
        return any(each.rule.saves for each in self.told if each.rule and each.severity != "info")

    def count(self, severity: Severity) -> int:
        """How many findings of a severity count."""
        return sum(each.severity == severity for each in self.findings)

    def fails(self, level: Severity | None = None) -> bool:
        """Whether a limit does not hold, or a finding counts that is at least as severe as the level."""
        allowed = SEVERITIES[: SEVERITIES.index(level) + 1] if level else ()
        return not all(limit.passed for limit in self.limits) or any(
            each.severity in allowed for each in self.findings
        )


def _reads_main(agent: Agent) -> bool:
    """Whether an agent reads AGENTS.md at its start."""
    return any(_MAIN in row.files and any(case.moment in AT_START for case in row.load) for row in agent.rows)
