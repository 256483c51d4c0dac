"""The arguments of a tool call, read with types and refused by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ctxtui.core.data import schema
from ctxtui.core.data.schema import Place
from ctxtui.core.errors import ContextError

Value = TypeVar("Value")
_CALL: Final = Place.named("arguments")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call. Null means an absent argument. Methods raise ContextError (invalid_request)."""

    values: Mapping[str, Any]
    place: Place = _CALL

    def get(self, name: str) -> Any:
        return self.values.get(name)

    def text(self, name: str) -> str:
        value = self.optional_text(name)
        if value is None:
            raise self.place.at(name).wrong("is missing")
        return value

    def optional_text(self, name: str) -> str | None:
        return self._read(name, schema.text)

    def texts(self, name: str) -> tuple[str, ...]:
        return self._read(name, schema.texts) or ()

    def number(self, name: str) -> int | None:
        """A whole number of 0 or more, or None."""
        return self._read(name, schema.number)

    def flag(self, name: str) -> bool:
        """A boolean, false if absent."""
        return bool(self._read(name, schema.flag))

    def inner(self, name: str) -> Arguments | None:
        value = self.get(name)
        if value is not None and not isinstance(value, Mapping):
            raise self.place.at(name).should_be("an object", value)
        return None if value is None else Arguments(value, self.place.at(name))

    def _read(self, name: str, reader: Callable[[Place, Any], Value]) -> Value | None:
        value = self.get(name)
        return None if value is None else reader(self.place.at(name), value)


def refused(message: str, hint: str | None = None) -> ContextError:
    return ContextError("invalid_request", message, hint=hint)
