"""The rule about ignore comments without effect."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ctxtui.audit.context import Audited
from ctxtui.audit.dismissed import complaints
from ctxtui.audit.rules import RULES, USELESS
from ctxtui.audit.types import Finding, Ignore


def comment_ignores(audited: Audited, known: Collection[str]) -> list[Ignore]:
    """An ignore for each valid comment in the context files. `known` are all rule ids."""
    return [
        Ignore(each.reason, (), each.rules, reference.path, each.lines, reference.path, each.line)
        for reference, facts in audited.facts()
        for each in facts.comments
        if not any(complaints(each, known))
    ]


def useless_comments(audited: Audited) -> Iterator[Finding]:
    """Comments without a rule or reason, with unknown rules, or with rules that a file cannot ignore."""
    known = [rule.id for rule in RULES]
    for reference, facts in audited.facts():
        for comment in facts.comments:
            for why in complaints(comment, known):
                path, line, subject = reference.path, comment.line, ", ".join(comment.rules)
                yield Finding(USELESS, "warning", why, path, line, evidence="`ctxtui help rules`", subject=subject)
