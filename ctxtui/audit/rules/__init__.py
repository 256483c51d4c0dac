"""The table of audit rules, in the order of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

from ctxtui.audit.types import Finding, Severity
from ctxtui.core.text.data.toml import packaged_toml

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited

USELESS = "useless-ignore"
"""The id of the rule about ignores without a match."""

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


def _load(place: str) -> Check:
    module, _, name = place.rpartition(".")
    check: Check = getattr(import_module(f"{__name__}.{module}"), name)
    return check


def load_rules() -> None:
    """Import all checks (a tenth of a second) while the program waits for something else."""
    for row in _TABLE.values():
        _load(row["check"])


def _rule(id_: str, row: Mapping[str, Any]) -> Rule:
    return Rule(
        id_,
        row["severity"],
        row.get("title", id_.replace("-", " ").capitalize()),
        row["about"],
        # Imported at its first run, because most callers need only the names of rules.
        lambda audited: _load(row["check"])(audited),
        row.get("saves", False),
        row["tokens"],
        row["remedy"],
        is_likely=row.get("likely", False),
        is_about_text=row.get("text", False),
    )


_TABLE: Final = packaged_toml(__name__, "rules.toml")
RULES: tuple[Rule, ...] = tuple(_rule(id_, row) for id_, row in _TABLE.items())
