"""JSON of entries: the keys of the entries specification's tables in camelCase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ctxtui.core.projection import Shapes, project
from ctxtui.entries.types import ContextEntry, ContextQuery

_SHAPES: Final[Shapes] = {
    ContextEntry: "entry_id content category tags reference_code=reference_code.value created_at",
    ContextQuery: "keywords category tags reference_code=reference_code.value max_results",
}


def to_json(value: ContextEntry | ContextQuery | Iterable[ContextEntry]) -> Any:
    """Return an entry, a query or several entries as JSON data, with times in UTC and every key present."""
    return project(value if isinstance(value, ContextEntry | ContextQuery) else list(value), _SHAPES)
