"""Advice on findings: the fact, a hint, a remedy, the cost and who pays it, and how certain all that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from ctxtui.agents import Agent, AgentContext
from ctxtui.agents.types import AT_START
from ctxtui.audit.roles import SKILL
from ctxtui.audit.rules import RULES
from ctxtui.audit.rules.phrases import listed
from ctxtui.audit.types import SEVERITIES, Finding
from ctxtui.core.base.wording import plural

Confidence = Literal["certain", "likely"]

_LOST, _ALWAYS, _WRONG, _USED = "lost", "always", "wrong", "used"
# For each rule, the meaning of its tokens and the remedy if the message names none.
_RULES: Final = {
    "never-loaded": (_LOST, "rename or move it, so that it loads, or delete it"),
    "wrong-place": (_LOST, "move it to where the agent looks"),
    "untriggered": (_LOST, "give it a trigger"),
    "missing-twin": (_LOST, "put a CLAUDE.md with the one line `@AGENTS.md` beside it"),
    "shadowed": (_LOST, "lead to it from the file that is read"),
    "differing-twins": (_ALWAYS, "keep one text, and import it in the other file"),
    "not-text": (_LOST, "save it as UTF-8"),
    "cut-by-limit": (_LOST, "shorten it"),
    "near-limit": (_ALWAYS, "shorten it, or move parts into files of folders"),
    "large-start": (_ALWAYS, "shorten it, or load parts on demand"),
    "start-over-budget": (_ALWAYS, "shorten the largest files, load them on demand, or raise the limit"),
    "paid-twice": (_ALWAYS, "keep one copy"),
    "listing-over-budget": (_ALWAYS, "shorten the longest descriptions"),
    "heavy-trigger": (_USED, "divide it into files that load on demand"),
    "could-be-scoped": (_ALWAYS, "give it a scope"),
    "changing-text": (_ALWAYS, "move it to the end, or remove it"),
    "frontmatter-rejected": (_LOST, "correct the frontmatter"),
    "globs-ignored": (_ALWAYS, "write the globs as this agent reads them"),
    "dead-glob": (_LOST, "correct the globs, or delete the rule"),
    "skill-name": (_LOST, "name the skill as its folder, in lower case with hyphens"),
    "replaced-text": (_WRONG, "escape the sign"),
    "broken-import": (_LOST, "correct the path, or remove the import"),
    "broken-link": (_WRONG, "correct the link, or remove it"),
    "missing-path": (_WRONG, "correct the path, or remove it"),
    "missing-command": (_WRONG, "correct the command, or remove it"),
    "missing-file": (_LOST, "create the file, or remove its name"),
    "unknown-name": (_WRONG, "correct the name, or remove it"),
    "conflicting-text": (_WRONG, "correct the one that is out of date"),
    "broken-server": (_WRONG, "correct its entry, or remove it"),
    "token-drift": (_WRONG, "write the counted number"),
    "missing-section": (_WRONG, "rename the heading, or correct the declaration"),
    "wrong-identity": (_WRONG, "write the id of its path"),
    "wrong-index": (_WRONG, "correct the index"),
    "missing-target": (_WRONG, "correct the target, or remove the row"),
    "repeated-text": (_ALWAYS, "keep it in one file, and name that file in the others"),
    "server-twice": (_ALWAYS, "remove one of the two"),
    "tool-twice": (_ALWAYS, "switch one of the servers off"),
    "heavy-tool": (_USED, "switch the tool off where nobody needs it"),
    "secret": (_WRONG, "remove the credential, and revoke it"),
    "invisible-text": (_USED, "delete the characters"),
    "blob": (_USED, "move the data into a file that loads on demand"),
    "useless-ignore": (_WRONG, "remove the ignore"),
}
# Rules that judge by signs: whether their findings matter depends on what the text means.
_LIKELY: Final = frozenset("changing-text could-be-scoped heavy-trigger missing-path repeated-text secret".split())
_LAST: Final = "repeated-text"
_USUAL: Final = {rule.id: rule.severity for rule in RULES}


class Advice(NamedTuple):
    """A finding in parts. `hint` is the path or name that was probably meant. It and `cost` may be empty."""

    fact: str
    hint: str
    remedy: str
    cost: str
    confidence: Confidence
    is_specific: bool
    """Whether the remedy is for this finding alone, and not for every finding of its rule."""


class Adviser:
    """Gives advice on the findings of one audit, and orders them. Agents pay for what they read at the start."""

    def __init__(self, contexts: Iterable[AgentContext], looked_for: Iterable[Agent] = ()) -> None:
        self._names = {agent.id: agent.name.partition(",")[0] for agent in looked_for}
        self._payers: dict[str, list[str]] = {}
        for context in contexts:
            name = self._names[context.agent.id] = context.agent.name.partition(",")[0]
            for path in dict.fromkeys(charge.path for charge in context.at(*AT_START) if charge.start_tokens):
                self._payers.setdefault(path, []).append(name)

    def on(self, finding: Finding) -> Advice:
        kind, usual = _RULES.get(finding.rule, (_WRONG, "correct the file, or leave it out with `--exclude`"))
        words, hint = finding.remedy.words, finding.remedy.hint
        # A rule calls a finding a note if signs speak against it.
        is_doubted = finding.severity == "info" and _USUAL.get(finding.rule) != "info"
        cost = self._cost(finding, kind) if finding.tokens else ""
        confidence: Confidence = "likely" if is_doubted or finding.rule in _LIKELY else "certain"
        return Advice(finding.fact, hint, words or usual, cost, confidence, bool(words))

    def as_task(self, finding: Finding) -> str:
        """A finding as a text that an agent or another person can act on."""
        advice = self.on(finding)
        place = f"{finding.path or finding.agent or ''}{f':{finding.line}' if finding.line else ''}"
        return f"{place}: {advice.fact}\nRemedy: {advice.remedy}\n"

    def _cost(self, finding: Finding, kind: str) -> str:
        tokens, payers = plural(finding.tokens, "token"), self._payers.get(finding.path or "", [])
        who = self._names.get(finding.agent or "", finding.agent) or listed(payers)
        if kind == _LOST:
            return f"{tokens} that {who if finding.agent else 'the model'} does not get"
        if kind == _WRONG:
            return tokens
        return (
            f"{tokens} at every start of {who}"
            if who and (payers or kind == _ALWAYS)
            else f"{tokens} when it is read"
        )

    def ranked(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings, errors first, then by the number of reasons to act, then by severity and tokens."""
        return sorted(findings, key=self._rank)

    def _rank(self, finding: Finding) -> tuple[object, ...]:
        is_last = finding.rule == _LAST and (finding.path or "").endswith(f"/{SKILL}")
        place = (finding.path or "", finding.line or 0, finding.rule, finding.message)
        return (
            finding.severity != "error",
            is_last,
            -self._reasons(finding),
            SEVERITIES.index(finding.severity),
            -finding.tokens,
            *place,
        )

    def _reasons(self, finding: Finding) -> int:
        advice = self.on(finding)
        reasons = (
            advice.confidence == "certain",
            self.is_always_read(finding),
            advice.is_specific,
            finding.tokens > 0,
        )
        return sum(reasons)

    def is_always_read(self, finding: Finding) -> bool:
        return finding.path in self._payers or finding.rule == "start-over-budget"

    def is_urgent(self, finding: Finding) -> bool:
        """Whether a finding deserves attention: an error, a warning, or a certain note on always-read text."""
        if finding.severity != "info":
            return True
        advice = self.on(finding)
        return advice.confidence == "certain" and advice.is_specific and self.is_always_read(finding)
