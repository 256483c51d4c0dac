"""The table of audit rules, in the order of reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ctxtui.audit.rules.rule import Check, Rule
from ctxtui.core.text.data.toml import packaged_toml

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited
    from ctxtui.audit.types import Finding

USELESS = "useless-ignore"
"""The id of the rule about ignores without a match."""


@dataclass(frozen=True, slots=True)
class _Later:
    """A check whose module is imported at its first run, because most callers need only the names of rules."""

    module: str
    name: str

    def __call__(self, audited: Audited) -> Iterable[Finding]:
        return self.load()(audited)

    def load(self) -> Check:
        check: Check = getattr(import_module(f"{__name__}.{self.module}"), self.name)
        return check


def load_rules() -> None:
    """Import all checks (a tenth of a second) while the program waits for something else."""
    for rule in RULES:
        if isinstance(rule.check, _Later):
            rule.check.load()


def _rule(id_: str, row: Mapping[str, Any]) -> Rule:
    return Rule(
        id_,
        row["severity"],
        row.get("title", id_.replace("-", " ").capitalize()),
        row["about"],
        _Later(*row["check"].split(".")),
        row.get("saves", False),
        row["tokens"],
        row["remedy"],
        is_likely=row.get("likely", False),
        is_about_text=row.get("text", False),
    )


_TABLE: Final = packaged_toml(__name__, "rules.toml")
RULES: tuple[Rule, ...] = tuple(_rule(id_, row) for id_, row in _TABLE.items())
