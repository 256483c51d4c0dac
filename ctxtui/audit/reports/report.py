"""The report of an audit, and whether it passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.agents import Agent, Start, longest_told, starts_of
from ctxtui.agents.types import AT_START, Fixed
from ctxtui.audit.advice import Adviser
from ctxtui.audit.limits import LimitResult
from ctxtui.audit.rules import Rule
from ctxtui.audit.totals import Totals
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, InstructionCount, Settings, Severity
from ctxtui.audit.weigh.types import NO_SERVERS, Weighing
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.whole import Whole
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.audit.baseline import Comparison
    from ctxtui.audit.history.since_ref import Since
    from ctxtui.audit.prices import Money

# The estimated tokens of a useless call.
_IN_VAIN = 50
# AGENTS.md alone is enough to detect Codex, but other agents read it too.
_MAIN, _CODEX = "AGENTS.md", "codex"


class RuleFindings(NamedTuple):
    """The findings of one rule and severity. `rule` is None for an id that is not in the table of rules."""

    severity: Severity
    id: str
    rule: Rule | None
    findings: list[Finding]

    @property
    def tokens(self) -> int:
        return sum(finding.tokens for finding in self.findings)

    @property
    def weight(self) -> int:
        """The tokens at stake, to sort by. A finding without tokens counts as a useless tool call at each place."""
        return sum(finding.tokens or finding.count * _IN_VAIN for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one audit run. Parts that were not requested are None or empty.

    `rules` ran in this order with `settings`. `name` is the project's, `looked_for` are all agents in the table,
    `mcp` are the servers of agents. With a `comparison`, only findings outside the baseline count. By agent id,
    `known` has better counts of estimated starts and `own` the captured sizes of agents' own parts. `problems` are
    notices about reading the project, as findings.
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
    problems: tuple[Finding, ...] = ()
    own: Mapping[str, Fixed] = field(default_factory=dict)

    @property
    def cwd(self) -> str:
        return self.settings.cwd

    @property
    def starts(self) -> tuple[Start, ...]:
        """The starts of agents that load anything, largest first."""
        starts = starts_of(self.result.agents, self.own)
        return tuple(replace(start, whole=self.known.get(start.agent)) for start in starts)

    @property
    def also_readers(self) -> tuple[str, ...]:
        """The names of other agents that read AGENTS.md. Empty unless that file is the only trace of an agent."""
        found = [each.agent.id for each in self.result.agents if not each.agent.installable]
        is_read = any(charge.path == _MAIN for each in self.result.agents for charge in each.at(*AT_START))
        others = (each for each in self.looked_for if each.id not in found and not each.installable)
        return tuple(each.name for each in others if _reads_main(each)) if found == [_CODEX] and is_read else ()

    def instruction_counts(self, agent: str) -> tuple[InstructionCount, ...]:
        """The files of an agent's start with their numbers of instructions, largest number first."""
        return tuple(each for each in self.result.asked if each.agent == agent)

    def instructions(self, agent: str) -> int:
        """The number of instructions in the files of an agent's start that are in English."""
        return sum(each.instructions or 0 for each in self.instruction_counts(agent))

    def instructions_in_words(self, agent: str, is_titled: bool = False) -> str:
        """The number of instructions in a start, in words, empty without files. `is_titled` leaves out the noun."""
        files, count = self.instruction_counts(agent), self.instructions(agent)
        others = sum(each.instructions is None for each in files)
        told = f"{count:,}" if is_titled else plural(count, "instruction")
        foreign = f"{plural(others, 'file')} not in English" if others else ""
        return ", ".join(filter(None, (told if len(files) > others else "", foreign)))

    def longest(self, every: bool = False) -> tuple[str, ...]:
        """Other start folders with their sizes, in words: those over a limit, else the longest, or `every` one."""
        return longest_told(self.result.chains, self.cwd, every)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that count, worst first, then the problems of reading the project."""
        found = self.result.findings if self.comparison is None else self.comparison.new
        return (*found, *self.problems)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about unreadable files, and about files that cannot be compared with an old commit."""
        return (*self.result.notices, *(self.since.notices if self.since else ()))

    @property
    def grouped_findings(self) -> tuple[RuleFindings, ...]:
        """The findings that count, by severity and rule, with the largest weight first in a severity."""
        rules = {rule.id: rule for rule in self.rules}
        groups: dict[tuple[Severity, str], list[Finding]] = {}
        for finding in self.findings:
            groups.setdefault((finding.severity, finding.rule), []).append(finding)
        told = (RuleFindings(severity, id_, rules.get(id_), found) for (severity, id_), found in groups.items())
        return tuple(sorted(told, key=lambda each: (SEVERITIES.index(each.severity), -each.weight, each.id)))

    @property
    def adviser(self) -> Adviser:
        """The adviser for the findings, made anew at each access."""
        return Adviser(self.result.agents, self.looked_for)

    def count(self, severity: Severity) -> int:
        """The number of findings of a severity that count."""
        return sum(each.severity == severity for each in self.findings)

    def fails(self, level: Severity | None = None) -> bool:
        """Whether a limit fails, or a finding that counts is at least as severe as `level`."""
        allowed = SEVERITIES[: SEVERITIES.index(level) + 1] if level else ()
        return not all(limit.passed for limit in self.limits) or any(
            each.severity in allowed for each in self.findings
        )


def _reads_main(agent: Agent) -> bool:
    return any(_MAIN in row.files and any(case.moment in AT_START for case in row.load) for row in agent.rows)


# The rules whose findings are about the same as notices whose codes begin like this.
_RULE_BY_CODE = {"frontmatter-": "frontmatter-rejected", "secret": "secret", "missing-target": "missing-target"}
_OF_FRONTMATTER: Final = frozenset(("frontmatter-yaml", "frontmatter-unclosed", "frontmatter-mangled"))
_OF_LISTING: Final = frozenset(
    ("unreadable-file", "unreadable-folder", "unreadable-name", "link-outside", "too-large", "too-deep")
)


def is_aside(notice: Notice, report: Report) -> bool:
    """Whether a notice affects no agent. True for frontmatter, because rules report what agents reject in it."""
    if notice.code in _OF_FRONTMATTER:
        return True
    if notice.code not in _OF_LISTING or notice.path is None:
        return notice.code == "binary-files"
    from ctxtui.agents import agent_files  # noqa: PLC0415 - a kept audit loads no files

    return not agent_files([notice.path], report.looked_for)


def with_problems(report: Report, notices: Iterable[Notice], of_payload: Iterable[Notice] = ()) -> Report:
    """The report with a finding for each notice that no finding tells yet. Those `of_payload` are notes."""
    picked = (replace(each, severity="info") for each in _not_in_findings(report, of_payload))
    return replace(report, problems=tuple(dict.fromkeys((*_not_in_findings(report, notices), *picked))))


def _not_in_findings(report: Report, notices: Iterable[Notice]) -> Iterator[Finding]:
    """A finding for each notice, unless a finding of its path has its message or its rule."""
    told: set[tuple[str | None, str]] = set()
    for finding in report.result.findings:
        for path in (finding.path, *(place.path for place in finding.places)):
            told |= {(path, finding.message), (path, finding.rule)}
    for each in dict.fromkeys(notices):
        rules = (rule for code, rule in _RULE_BY_CODE.items() if each.code.startswith(code))
        if told.isdisjoint((each.path, name) for name in (each.message, *rules)):
            severity: Severity = "warning" if each.is_problem and not is_aside(each, report) else "info"
            yield Finding(each.code, severity, each.message, each.path, each.line)


def with_known_starts(report: Report, workspace: Workspace, check: Check = go_on) -> Report:
    """The report with better counts for estimated starts, if known. `check` runs before each text and may raise."""
    if report.counter.exact:
        return report
    from ctxtui.audit.prices import start_money  # noqa: PLC0415 - only estimates can be known better
    from ctxtui.session.agent_start import whole_starts  # noqa: PLC0415

    starts = whole_starts(report.starts, workspace.text, report.counter, workspace.reader.ledger, check)
    known = {start.agent: start.whole for start in starts if start.whole}
    if not known:
        return report
    money = report.money and start_money(
        report.money.model,
        report.result.agents,
        report.totals.tokens,
        {agent: whole.tokens for agent, whole in known.items()},
        report.own,
    )
    limits = tuple(_with_known_start(each, known) for each in report.limits)
    return replace(report, known=known, limits=limits, money=money)


def _with_known_start(limit: LimitResult, known: Mapping[str, Whole]) -> LimitResult:
    """Judge a limit again if it limits a start whose whole text has a known count."""
    kind, _, agent = limit.name.partition(" ")
    whole = known.get(agent) if kind == "start" else None
    if whole is None:
        return limit
    tokens = whole.tokens
    return replace(limit, tokens=tokens, judged=tokens, passed=tokens <= limit.limit, label=whole.label)
