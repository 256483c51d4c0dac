"""What the tests of the audit share: findings of a folder, by rule."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ctxtui.audit import RULES, AuditResult, Finding, Settings, audit
from ctxtui.core.base.notices import Notice
from ctxtui.workspace.workspace import Workspace

LOREM = "".join(
    f"Line {number} says what nobody else says, with the word {word} and the number {number * 37}.\n"
    for number, word in enumerate("amber birch cedar delta ember fjord grove heron inlet jetty kelp larch".split(), 1)
)
"""Twelve lines of a good two hundred tokens that repeat nothing."""


def ignore(_notice: Notice) -> None:
    """Takes notices and keeps none."""


def audited(root: Path, rules: Iterable[str] = (), **settings: Any) -> AuditResult:
    """The result for a folder, of all rules or of some."""
    wanted = set(rules)
    table = [rule for rule in RULES if not wanted or rule.id in wanted]
    assert len(table) >= len(wanted)
    return audit(Workspace.open(root, on_notice=ignore), settings=Settings(**settings), rules=table)


def found(root: Path, rule: str, **settings: Any) -> list[Finding]:
    """The findings of one rule."""
    return list(audited(root, [rule], **settings).findings)


def one(root: Path, rule: str, **settings: Any) -> Finding:
    """The only finding of a rule."""
    (finding,) = found(root, rule, **settings)
    return finding


def skill(name: str = "helper", description: str = "Helps.", body: str = "Do it.\n") -> str:
    """A skill file."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"
