"""A credential that was found, without its value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text: the rule that fired and its offsets; never the credential itself."""

    rule: str
    start: int
    end: int
