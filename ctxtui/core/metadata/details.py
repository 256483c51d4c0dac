"""From frontmatter values of any shape to the typed details of a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxtui.core.metadata.reference import Declared, Details
from ctxtui.core.notices import Notice, OnNotice


def read_details(values: Mapping[str, Any], path: str, on_notice: OnNotice) -> Details:
    """A reference's fields in frontmatter (catalog specification 8); wrong types are dropped with a notice."""
    reading = _Reading(values, path, on_notice)
    return Details(
        values=values,
        type=reading.text("type"),
        domain=reading.text("domain"),
        declared_tokens=reading.number("estimatedTokens"),
        sections=reading.sections(),
        tags=reading.texts("tags"),
        cross_domain_triggers=reading.texts("crossDomainTriggers"),
        detection_triggers=reading.texts("detectionTriggers"),
    )


_TOO_MANY = 10**12


class _Reading:
    """Reads single values and reports the ones that cannot be used."""

    def __init__(self, values: Mapping[str, Any], path: str, on_notice: OnNotice) -> None:
        self._values = values
        self._path = path
        self._on_notice = on_notice

    def _refuse(self, key: str, wanted: str) -> None:
        message = f"`{key}` should be {wanted}; it is ignored"
        self._on_notice(Notice("metadata-type", message, self._path))

    def text(self, key: str) -> str | None:
        value = self._values.get(key)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool | int | float):
            return str(value)
        self._refuse(key, "a text")
        return None

    def number(self, key: str) -> int | None:
        value = self._values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _TOO_MANY:
            self._refuse(key, "a number of tokens")
            return None
        return int(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._values.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        if not isinstance(value, list):
            self._refuse(key, "a list of texts")
            return ()
        return tuple(str(item) for item in value if isinstance(item, str | int | float))

    def sections(self) -> tuple[Declared, ...]:
        value = self._values.get("sections")
        if value is None:
            return ()
        if not isinstance(value, list):
            self._refuse("sections", "a list of sections")
            return ()
        found = tuple(declared for item in value if (declared := self._section(item)))
        if len(found) < len(value):
            self._refuse("sections", f"a list of sections with names ({len(value) - len(found)} without)")
        return found

    def _section(self, item: object) -> Declared | None:
        if isinstance(item, str):
            return Declared(item)
        if not isinstance(item, dict) or not isinstance(item.get("name"), str | int | float):
            return None
        inner = _Reading(item, self._path, self._on_notice)
        return Declared(str(item["name"]), inner.number("estimatedTokens"), inner.texts("keywords"))
