"""The arguments of a tool call: read with types, refused by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxtui.core.errors import ContextError


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call; null means an absent argument. Methods raise ContextError (invalid_request)."""

    values: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """The value as it was sent; None if there is none."""
        return self.values.get(name)

    def text(self, name: str) -> str:
        """A required text."""
        value = self.optional_text(name)
        if value is None:
            raise refused(f"{name} is missing")
        return value

    def optional_text(self, name: str) -> str | None:
        """A text, if there is one."""
        value = self.get(name)
        if value is not None and not isinstance(value, str):
            raise refused(f"{name} is not text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty if there is none."""
        value = self.get(name)
        if value is None:
            return ()
        if (
            not isinstance(value, Sequence)
            or isinstance(value, str)
            or not all(isinstance(one, str) for one in value)
        ):
            raise refused(f"{name} is not a list of texts")
        return tuple(value)

    def number(self, name: str) -> int | None:
        """A whole number of 0 or more, if there is one."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise refused(f"{name} is not a whole number of 0 or more")
        return value

    def flag(self, name: str) -> bool:
        """True or false; false if it is absent."""
        value = self.get(name)
        if value is not None and not isinstance(value, bool):
            raise refused(f"{name} is neither true nor false")
        return bool(value)

    def inner(self, name: str) -> Arguments | None:
        """An object, if there is one."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise refused(f"{name} is not an object")
        return Arguments(value)


def refused(message: str, hint: str | None = None) -> ContextError:
    """An error of the caller."""
    return ContextError("invalid_request", message, hint=hint)
