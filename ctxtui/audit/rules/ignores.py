"""The rule about ignore comments without effect."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ctxtui.audit.context import Audited
from ctxtui.audit.dismissed import complaints, ignores_of
from ctxtui.audit.rules import RULES, USELESS
from ctxtui.audit.types import Finding, Ignore


def comment_ignores(audited: Audited, known: Collection[str]) -> list[Ignore]:
    return [
        ignore
        for reference, facts in audited.facts()
        if facts.comments
        for ignore in ignores_of(reference.path, facts.comments, known)
    ]


def useless_comments(audited: Audited) -> Iterator[Finding]:
    """Comments without a rule or reason, with unknown rules, or with rules that a file cannot ignore."""
    known = [rule.id for rule in RULES]
    for reference, facts in audited.facts():
        for comment in facts.comments:
            for why in complaints(comment, known):
                path, line, subject = reference.path, comment.line, ", ".join(comment.rules)
                yield Finding(USELESS, "warning", why, path, line, evidence="`ctxtui help rules`", subject=subject)
