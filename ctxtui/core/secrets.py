"""Secrets in text: found by a dated table of credential shapes, replaced by visible marks."""

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
    """The rows of `secrets.toml`."""
    table = load_toml((files(__package__) / "secrets.toml").read_text("utf-8"))
    return tuple(
        Rule(row["id"], tuple(row["anchors"]), tuple(row.get("also", ())), re.compile(row["pattern"]))
        for row in table["secret"]
    )


def find_secrets(text: str) -> list[Secret]:
    """The credentials in a text, in order, without overlaps."""
    found = sorted(_matches(text), key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return kept


def _matches(text: str) -> Iterator[Secret]:
    for rule in rules():
        if all(part in text for part in rule.also) and any(anchor in text for anchor in rule.anchors):
            group = rule.pattern.groups
            for match in rule.pattern.finditer(text):
                yield Secret(rule.id, match.start(group), match.end(group))


def redact(text: str) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and what was replaced."""
    found = find_secrets(text)
    parts = []
    position = 0
    for secret in found:
        parts += [text[position : secret.start], f"[redacted: {secret.rule}]"]
        position = secret.end
    return "".join([*parts, text[position:]]) if found else text, found
