"""JSON of the catalog's values: the specification's camelCase keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

_UNDERSCORE = re.compile(r"_([a-z])")


def to_json(value: object) -> Any:
    """A value of this package, or a list of them, as JSON data with the keys of the catalog specification's tables.

    Fields that the specification does not have (`reason`, `explanation`) are omitted if empty; metadata
    keep the keys they have in the file.
    """
    if is_dataclass(value) and not isinstance(value, type):
        kept = [each for each in fields(value) if not each.metadata.get("ours") or getattr(value, each.name)]
        return {_camel(each.name): to_json(getattr(value, each.name)) for each in kept}
    if isinstance(value, Mapping):
        return {str(key): to_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(entry) for entry in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def _camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda match: match[1].upper(), name)
