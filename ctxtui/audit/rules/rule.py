"""The definition of a rule: an id, a severity, why it matters, and the function that checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ctxtui.audit.context import Audited
from ctxtui.audit.types import Finding, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding: its id, its default severity, and why it matters.

    `about` is one sentence: why it costs tokens or breaks something. `check` never raises for content. If the rule
    `saves`, mending what it finds saves the tokens at stake.
    """

    id: str
    severity: Severity
    title: str
    about: str
    check: Callable[[Audited], Iterable[Finding]]
    saves: bool = False
