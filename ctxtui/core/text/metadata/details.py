"""Frontmatter values of any shape as typed details of a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.metadata.reference import Declared, Details


@dataclass(frozen=True, slots=True)
class Lenient:
    """The values of a mapping in a file. Numbers are read as strings, a string with commas as a list."""

    values: Mapping[str, Any]
    path: str
    on_notice: OnNotice

    def refuse(self, key: str, wanted: str, what: str = "it is") -> None:
        """Report that `key` should be `wanted` and is ignored, or only the part in `what`, such as `2 values are`."""
        self.on_notice(Notice("metadata-type", f"`{key}` should be {wanted}; {what} ignored", self.path))

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float):
            return str(value)
        self.refuse(key, "a string")
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        if not isinstance(value, list):
            self.refuse(key, "a list of strings")
            return ()
        found = tuple(str(item) for item in value if isinstance(item, str | int | float))
        if len(found) < len(value):
            self.refuse(key, "a list of strings", plural(len(value) - len(found), "value is", "values are"))
        return found


_KEYS: Final = frozenset(
    {"type", "domain", "estimatedTokens", "sections", "tags", "crossDomainTriggers", "detectionTriggers"}
)


def read_details(values: Mapping[str, Any], path: str, on_notice: OnNotice) -> Details:
    """The reference fields in frontmatter (catalog specification 8). Wrong types are dropped with a notice."""
    # Most metadata that agents read has none of these.
    if _KEYS.isdisjoint(values):
        return Details(values)
    given = Lenient(values, path, on_notice)
    return Details(
        values=values,
        type=given.text("type"),
        domain=given.text("domain"),
        declared_tokens=_tokens(given),
        sections=_sections(given),
        tags=given.texts("tags"),
        cross_domain_triggers=given.texts("crossDomainTriggers"),
        detection_triggers=given.texts("detectionTriggers"),
    )


_TOO_MANY = 10**12


def _tokens(given: Lenient) -> int | None:
    value = given.values.get("estimatedTokens")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _TOO_MANY:
        given.refuse("estimatedTokens", "a number of tokens")
        return None
    return int(value)


def _sections(given: Lenient) -> tuple[Declared, ...]:
    value = given.values.get("sections")
    if value is None:
        return ()
    if not isinstance(value, list):
        given.refuse("sections", "a list of sections")
        return ()
    found = tuple(declared for item in value if (declared := _section(given, item)))
    if len(found) < len(value):
        given.refuse("sections", f"a list of sections with names ({len(value) - len(found)} without)")
    return found


def _section(given: Lenient, item: object) -> Declared | None:
    if isinstance(item, str):
        return Declared(item)
    if not isinstance(item, dict) or not isinstance(item.get("name"), str | int | float):
        return None
    inner = replace(given, values=item)
    return Declared(str(item["name"]), _tokens(inner), inner.texts("keywords"))
