"""The definition of a rule: an id, a severity, why it matters, and the function that checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxtui.audit.types import Finding, Severity

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited

Check = Callable[["Audited"], Iterable[Finding]]
"""Finds what is wrong in a project; never raises for content."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding: its id, its default severity, and why it matters.

    `about` is one sentence: why it costs tokens or breaks something. If the rule `saves`, mending what it finds saves
    the tokens at stake.
    """

    id: str
    severity: Severity
    title: str
    about: str
    check: Check
    saves: bool = False
