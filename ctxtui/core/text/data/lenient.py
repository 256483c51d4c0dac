"""Handwritten metadata, read leniently: unusable values give a notice, never an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import plural


@dataclass(frozen=True, slots=True)
class Lenient:
    """The values of a mapping in a file. Numbers are read as strings, a string with commas as a list."""

    values: Mapping[str, Any]
    path: str
    on_notice: OnNotice

    def refuse(self, key: str, wanted: str, what: str = "it is") -> None:
        """Report that a value, or part of it, is ignored."""
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
