"""The table of audit rules, in the order of reports."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from ctxtui.audit.rules.rule import Check, Rule
from ctxtui.core.text.data.toml import packaged_toml

USELESS = "useless-ignore"
"""The id of the rule about ignores without a match."""


def _load(place: str) -> Check:
    module, name = place.split(".")
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
