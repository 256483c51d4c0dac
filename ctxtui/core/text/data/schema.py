"""Checks of plain data: mappings with known keys, each read by a function. Errors name place, key and remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near, near_or_all, parse_tokens
from ctxtui.core.text.data.lines import LineOf, Steps

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in plain data. `origin` returns the source of a value, given the steps to it.

    A `private` place may hold a secret, so its value is never shown.
    """

    origin: Callable[[Steps], str]
    steps: Steps = ()
    private: bool = False

    @staticmethod
    def named(name: str, line_of: LineOf | None = None, private: bool = False) -> Place:
        """The root place of a file, table or call, with lines if they are known."""

        def origin(steps: Steps) -> str:
            line = line_of(steps) if line_of else None
            return name if line is None else f"{name}:{line}"

        return Place(origin, private=private)

    def at(self, *steps: str | int) -> Place:
        return Place(self.origin, (*self.steps, *steps), self.private)

    def error(self, message: str, hint: str | None = None) -> ContextError:
        """The error (invalid_request) for this place: `FILE:LINE: `KEY`: message`."""
        return self._error(": ", message, hint)

    def wrong(self, predicate: str, hint: str | None = None) -> ContextError:
        """The error (invalid_request) with the key as subject of `predicate`, such as `should be a list`."""
        return self._error(" ", predicate, hint)

    def should_be(self, wanted: str, value: object, hint: str | None = None) -> ContextError:
        """The error for a value of the wrong type."""
        instead = "" if self.private else f", not {_shown(value)}"
        return self.wrong(f"should be {wanted}{instead}", hint)

    def unknown(self, key: object, known: Iterable[str]) -> ContextError:
        """The error for an unknown key. The hint names the nearest known key, or all."""
        shown = plain_line(str(key))
        origin = self.origin((*self.steps, str(key)))
        return self._error(": ", f"unknown key `{shown}`", near_or_all(shown, known, quote="`"), origin)

    def within(self, make: Callable[[], Value]) -> Value:
        """The result of `make`. The message of a ContextError from it gets this place."""
        try:
            return make()
        except ContextError as error:
            raise self.error(error.message, error.hint) from error

    def _error(self, joint: str, message: str, hint: str | None, origin: str | None = None) -> ContextError:
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        subject = f"`{plain_line(path.removeprefix('.'))}`{joint}" if path else ""
        place = self.origin(self.steps) if origin is None else origin
        return invalid(f"{place}: {subject}{message}", hint=hint)


Reader = Callable[[Place, Any], Any]
"""Converts a value at a place, or raises the ContextError of the place."""


def read(place: Place, value: object, fields: Mapping[str, Reader], *required: str) -> dict[str, Any]:
    """The values of a mapping, read by `fields`. Raises ContextError for unknown and for missing `required` keys."""
    given = mapping(place, value, fields)
    found = {key: fields[key](place.at(key), each) for key, each in given.items()}
    for key in required:
        if key not in found:
            raise place.wrong(f"has no `{key}`")
    return found


def mapping(place: Place, value: object, known: Iterable[str]) -> Mapping[str, Any]:
    """The `value` if it is a mapping without unknown keys. Raises the ContextError of the place for other values."""
    keys = list(known)
    if not isinstance(value, Mapping):
        raise place.should_be("a mapping", value, f"with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise place.unknown(key, keys)
    return value


def text(place: Place, value: object) -> str:
    if not isinstance(value, str):
        raise place.should_be("a string", value, "put it in quotes")
    return value


def filled(place: Place, value: object) -> str:
    """A string that is not blank. Raises the ContextError of the place for other values."""
    written = text(place, value)
    if not written.strip():
        raise place.wrong("should be a string that is not blank")
    return written


def texts(place: Place, value: object) -> tuple[str, ...]:
    return many(text, "a list of strings")(place, value)


def flag(place: Place, value: object) -> bool:
    if not isinstance(value, bool):
        raise place.should_be("true or false", value)
    return value


def number(place: Place, value: object) -> int:
    """A whole number, 0 or more. Raises the ContextError of the place for other values."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise place.should_be("a whole number", value, "0 or more")
    return value


def tokens(place: Place, value: object) -> int:
    """A number of tokens, also as text such as `12k` (12,000). Raises ContextError for others."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.should_be("a number of tokens", value, 'write 12000 or "12k"')
    return place.within(lambda: parse_tokens(str(value)))


def day(place: Place, value: object) -> date:
    """A date: a native TOML date, or a string as YAML gives it."""
    if type(value) is date:
        return value
    try:
        return date.fromisoformat(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise place.should_be("a date", value, "such as 2026-11-01") from None


def choice(*words: str) -> Reader:
    """A reader of a string that is one of `words`."""
    known = f"one of {', '.join(words)}"

    def check(place: Place, value: object) -> str:
        if not isinstance(value, str):
            raise place.should_be(known, value)
        if value not in words:
            instead = "is unknown" if place.private else f"cannot be {_shown(value)}"
            raise place.wrong(instead, near(value, words, quote="`") or known)
        return value

    return check


def many(reader: Callable[[Place, Any], Value], wanted: str = "a list") -> Callable[[Place, Any], tuple[Value, ...]]:
    """A reader of a list whose items `reader` reads, as a tuple."""

    def check(place: Place, value: object) -> tuple[Value, ...]:
        if not isinstance(value, list | tuple):
            raise place.should_be(wanted, value)
        return tuple(reader(place.at(position), each) for position, each in enumerate(value))

    return check


def table(reader: Reader, known: Iterable[str] | None = None, wanted: str = "a table", hint: str = "") -> Reader:
    """A reader of a mapping from names, any or only `known`, to values for `reader`. Errors use `wanted`, `hint`."""
    names = None if known is None else list(known)

    def check(place: Place, value: object) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise place.should_be(wanted, value, hint or None)
        return read(place, value, dict.fromkeys(value if names is None else names, reader))

    return check


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(plain_line(value[:60]))
    # Integers of thousands of digits cannot be printed.
    is_short = isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**12)
    return f"`{value}`" if is_short else type(value).__name__
