"""The bounds of untrusted YAML, TOML and JSON, and the error for data beyond them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

MAX_DIGITS: Final = 18
MAX_DEPTH: Final = 32
_LIMIT: Final = 10**MAX_DIGITS


class DataProblem(ValueError):
    """Text that cannot be read as data: the reason, and the line, counted from 0."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def is_bounded(number: float) -> bool:
    """Whether an integer has at most 18 digits, so that it prints fast, or a fraction is finite."""
    return -_LIMIT < number < _LIMIT if isinstance(number, int) else isfinite(number)


def first_problem(value: Any) -> str | None:
    """A description of the first value beyond the bounds, None if there is none."""
    if any(depth > MAX_DEPTH for depth, _ in _walk(value)):
        return f"nested more than {MAX_DEPTH} deep"
    for _, item in _walk(value):
        if isinstance(item, int | float) and not is_bounded(item):
            return f"a number with more than {MAX_DIGITS} digits, or not finite"
    return None


def _walk(value: Any) -> Iterator[tuple[int, Any]]:
    """A value and every value inside it, each with its depth, from 0 down to one level below the bound."""
    waiting = [(0, value)]
    while waiting:
        depth, item = waiting.pop()
        yield depth, item
        if depth <= MAX_DEPTH and isinstance(item, dict | list):
            inner = item.values() if isinstance(item, dict) else item
            waiting += [(depth + 1, each) for each in inner]
