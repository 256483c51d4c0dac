"""The definition of a rule: id, severity, reason and check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxtui.audit.types import Finding, Severity

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited

Check = Callable[["Audited"], Iterable[Finding]]
"""Yields the findings of a project. Never raises for content."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding.

    `about` is one sentence that says why it costs tokens or breaks something. If the rule `saves`, a fix saves the
    tokens at stake.
    """

    id: str
    severity: Severity
    title: str
    about: str
    check: Check
    saves: bool = False
