"""Argument checks of the Python API: convert a value, or say at once what is expected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from ctxtui.core.base.wording import parse_tokens
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter

Kind = TypeVar("Kind", bound=StrEnum)


def wrong(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{name} should be {wanted}, not {shown(value)}")


def shown(value: object) -> str:
    """A value for a message: short strings and numbers verbatim, other values by type."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    kind = "a class" if isinstance(value, type) else type(value).__name__
    return f"{kind} {value}" if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**12) else kind


def a_text(value: object, name: str) -> str:
    text: str = an_instance(value, str, name, "a string")
    return text


def texts(value: object, name: str) -> tuple[str, ...]:
    """Strings as a tuple. A single string stands for a list of one. Raises TypeError about the argument `name`."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes | bytearray):
        raise wrong(name, "a list of strings", value)
    return tuple(an_instance(each, str, name, "a list of strings") for each in value)


def a_number(value: object, name: str, least: int | None = 0) -> int:
    """A whole number, at least `least` unless that is None. Raises TypeError or ValueError about argument `name`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(name, "a whole number", value)
    if least is not None and value < least:
        raise ValueError(f"{name} should be {least} or more, not {shown(value)}")
    return value


def seconds(value: object, name: str) -> float:
    """A number of seconds, 0 or more. Raises TypeError or ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(name, "a number of seconds", value)
    if not value >= 0:
        raise ValueError(f"{name} should be 0 seconds or more, not {value}")
    return value


def tokens(value: object, name: str) -> int:
    """A number of tokens, also written `8k`. Raises TypeError, or ContextError for unreadable text."""
    if isinstance(value, str):
        return parse_tokens(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(name, "a number of tokens such as 8000 or '8k'", value)
    return value


def a_counter(value: object) -> TokenCounter:
    """A counter, or the one of a tokenizer's or model's name. Raises TypeError, ContextError for an unknown name."""
    if isinstance(value, str):
        return get_counter(value)
    if not isinstance(value, TokenCounter):
        raise wrong("counter", "a TokenCounter or the name of one, such as 'o200k_base'", value)
    return value


def one_of(kind: type[Kind], value: object, name: str) -> Kind:
    """A member of an enumeration of strings, by its value in any case. Raises TypeError or ValueError."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, str):
        raise wrong(name, f"one of {', '.join(kind)}", value)
    wanted = value.strip().casefold()
    found = next((each for each in kind if each.casefold() == wanted), None)
    if found is None:
        raise ValueError(f"{name} should be one of {', '.join(kind)}, not {shown(value)}")
    return found


def an_instance(value: Any, kind: type | tuple[type, ...], name: str, wanted: str) -> Any:
    """The value if it is of a `kind`. Raises TypeError: `name` should be `wanted`."""
    if not isinstance(value, kind):
        raise wrong(name, wanted, value)
    return value


def a_function(value: Any, name: str, wanted: str = "a function that takes a Notice") -> Any:
    """The value if it is callable or None. Raises TypeError: `name` should be `wanted`."""
    if value is not None and not callable(value):
        raise wrong(name, wanted, value)
    return value


def with_methods(value: Any, names: Iterable[str], name: str, wanted: str) -> Any:
    """The value if it has the methods `names`. Raises TypeError: `name` should be `wanted`."""
    if isinstance(value, type) or not all(callable(getattr(value, each, None)) for each in names):
        raise wrong(name, wanted, value)
    return value


def a_path(value: object, name: str) -> str | os.PathLike[str]:
    path: str | os.PathLike[str] = an_instance(value, (str, os.PathLike), name, "a path")
    return path
