"""Credentials known by their shape: a dated table of what each service issues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ctxtui.core.data.toml import load_toml


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of a credential; it is searched only where an anchor and all of `also` stand in the text.

    Where the pattern has a group, that is the credential.
    """

    id: str
    anchors: tuple[str, ...]
    also: tuple[str, ...]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text: the rule that fired and its offsets; never the credential itself."""

    rule: str
    start: int
    end: int


@cache
def rules() -> tuple[Rule, ...]:
    """The rows of `shapes.toml`."""
    table = load_toml((files(__package__) / "shapes.toml").read_text("utf-8"))
    return tuple(
        Rule(row["id"], tuple(row["anchors"]), tuple(row.get("also", ())), re.compile(row["pattern"]))
        for row in table["secret"]
    )


def find_shapes(text: str) -> Iterator[Secret]:
    """The credentials in a text that are known by their shape alone; they may overlap."""
    for rule in rules():
        if all(part in text for part in rule.also) and any(anchor in text for anchor in rule.anchors):
            group = rule.pattern.groups
            for match in rule.pattern.finditer(text):
                yield Secret(rule.id, match.start(group), match.end(group))
