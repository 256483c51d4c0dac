"""The definition of a rule: id, severity, reason and check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ctxtui.audit.types import Finding, Severity

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited

Check = Callable[["Audited"], Iterable[Finding]]
"""Yields the findings of a project. Never raises for content."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding.

    `about` is one sentence that says why it costs tokens or breaks something. If the rule `saves`, a fix saves the
    tokens at stake. `tokens` says what they are: `lost` to the agent, paid `always` or when `used`, or `wrong`.
    `remedy` is for findings without one of their own. If the rule `is_likely`, its findings depend on what the text
    means. If it `is_about_text`, copies of a file share its findings.
    """

    id: str
    severity: Severity
    title: str
    about: str
    check: Check
    saves: bool = False
    tokens: Literal["lost", "always", "used", "wrong"] = "wrong"
    remedy: str = "correct the file, or leave it out with `--exclude`"
    is_likely: bool = False
    is_about_text: bool = False
