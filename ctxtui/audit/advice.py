"""Advice on findings: the fact, a hint, a remedy, the cost and who pays it, and how certain all that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from ctxtui.agents import Agent, AgentContext
from ctxtui.agents.types import AT_START
from ctxtui.audit.roles import SKILL
from ctxtui.audit.rules import RULES, Rule
from ctxtui.audit.rules.phrases import is_plural_name, short_list
from ctxtui.audit.types import SEVERITIES, Finding
from ctxtui.core.base.wording import plural

Confidence = Literal["certain", "likely"]

_RULES: Final = {rule.id: rule for rule in RULES}
# Problems of reading a project have no rule.
_NO_RULE: Final = Rule("", "info", "", "", lambda _: ())


class Advice(NamedTuple):
    """A finding in words. `hint`, the probable path or name, and `cost`, tokens and payer, may be empty."""

    fact: str
    hint: str
    remedy: str
    cost: str
    confidence: Confidence
    is_specific: bool
    """Whether the remedy is for this finding alone, and not for every finding of its rule."""


class Adviser:
    """Gives advice on findings. `contexts` tell which agents pay for a file, `looked_for` names further agents."""

    def __init__(self, contexts: Iterable[AgentContext], looked_for: Iterable[Agent] = ()) -> None:
        self._names = {agent.id: agent.name.partition(",")[0] for agent in looked_for}
        self._payers: dict[str, dict[str, int]] = {}
        for context in contexts:
            name = self._names[context.agent.id] = context.agent.name.partition(",")[0]
            for charge in context.at(*AT_START):
                if charge.start_tokens:
                    paid = self._payers.setdefault(charge.path, {})
                    paid[name] = paid.get(name, 0) + charge.start_tokens

    def on(self, finding: Finding) -> Advice:
        """The advice on a finding, with the remedy of its rule if it has none of its own."""
        rule = _RULES.get(finding.rule, _NO_RULE)
        words, hint = finding.remedy.words, finding.remedy.hint
        # Signs against a finding make it a note. A note that git or a parser decides becomes a warning.
        is_doubted = finding.severity == "info" and rule.severity != "info"
        is_decided = finding.severity != "info" and rule.severity == "info"
        cost = self._cost(finding, rule.tokens) if finding.tokens else ""
        confidence: Confidence = "likely" if is_doubted or (rule.is_likely and not is_decided) else "certain"
        return Advice(finding.fact, hint, words or rule.remedy, cost, confidence, bool(words))

    def as_task(self, finding: Finding) -> str:
        """A finding as a text that an agent or another person can act on."""
        advice = self.on(finding)
        place = f"{finding.path or finding.agent or ''}{f':{finding.line}' if finding.line else ''}"
        return f"{place}: {advice.fact}\nRemedy: {advice.remedy}\n"

    def _cost(self, finding: Finding, kind: str) -> str:
        """The tokens at stake and their payer in words. `kind` is the `tokens` of a rule."""
        tokens, paid = plural(finding.tokens, "token"), self._payers.get(finding.path or "", {})
        # An agent may read another place later than the first, or never.
        everywhere = [self._payers.get(place.path, {}) for place in finding.places]
        paid = {name: most for name, most in paid.items() if all(name in each for each in everywhere)}
        # An agent that cuts the file pays for less.
        payers = [name for name, most in paid.items() if most >= finding.tokens] or [*paid]
        who = self._names.get(finding.agent or "", finding.agent) or short_list(payers)
        if kind == "lost":
            who = who if finding.agent else "the model"
            return f"{tokens} that {who} {'do' if is_plural_name(who) else 'does'} not get"
        if kind == "wrong":
            return tokens
        return (
            f"{tokens} at every start of {who}"
            if who and (payers or kind == "always")
            else f"{tokens} when it is read"
        )

    def ranked(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings sorted: credentials and other errors, then by the number of reasons to act.

        Repeated text in skills is the last of its group.
        """
        return sorted(findings, key=self._rank)

    def _rank(self, finding: Finding) -> tuple[object, ...]:
        advice = self.on(finding)
        is_certain, is_paid = advice.confidence == "certain", finding.tokens > 0
        return (
            finding.severity != "error",
            finding.rule != "secret",
            finding.rule == "repeated-text" and (finding.path or "").endswith(f"/{SKILL}"),
            -sum((is_certain, self.is_always_read(finding), advice.is_specific, is_paid)),
            SEVERITIES.index(finding.severity),
            -finding.tokens,
            *finding.order,
        )

    def is_always_read(self, finding: Finding) -> bool:
        """Whether a finding is about a start or about a file that a start pays for."""
        return finding.path in self._payers or finding.rule == "start-over-budget"

    def is_broken(self, finding: Finding) -> bool:
        """Whether the rule of a finding is about text that is lost or wrong."""
        return _RULES.get(finding.rule, _NO_RULE).tokens in ("lost", "wrong")

    def is_urgent(self, finding: Finding) -> bool:
        """Whether a finding deserves attention: an error, a warning, or a note on always-read text.

        The advice for such a note must be certain and specific.
        """
        if finding.severity != "info":
            return True
        advice = self.on(finding)
        return advice.confidence == "certain" and advice.is_specific and self.is_always_read(finding)
