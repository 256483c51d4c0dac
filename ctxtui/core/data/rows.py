"""Values of metadata as rows of JSON, and back without loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def plain_row(value: Any) -> Any:
    """A value as JSON holds it: mappings as their pairs, since their keys need not be texts; TypeError for others."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {"": [(plain_row(key), plain_row(each)) for key, each in value.items()]}
    if isinstance(value, list):
        return [plain_row(each) for each in value]
    raise TypeError(f"not a plain value: {type(value).__name__}")


def value_of(plain: Any) -> Any:
    """The value of a row."""
    if isinstance(plain, dict):
        return {value_of(key): value_of(each) for key, each in plain[""]}
    if isinstance(plain, list):
        return [value_of(each) for each in plain]
    return plain
