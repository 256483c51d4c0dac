"""JSON of entries: the keys of the entries specification's tables in camelCase."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC
from typing import Any

from ctxtui.entries.types import ContextEntry, ContextQuery

_ZERO = re.compile(r"\+00:00$")


def to_json(value: ContextEntry | ContextQuery | Iterable[ContextEntry]) -> Any:
    """An entry, a query or several entries as JSON data; times in UTC, every key present."""
    if isinstance(value, ContextEntry):
        return _entry(value)
    if isinstance(value, ContextQuery):
        return _query(value)
    return [_entry(entry) for entry in value]


def _entry(entry: ContextEntry) -> dict[str, Any]:
    return {
        "entryId": entry.entry_id,
        "content": entry.content,
        "category": entry.category.value,
        "tags": list(entry.tags),
        "referenceCode": str(entry.reference_code) if entry.reference_code else None,
        "createdAt": _ZERO.sub("Z", entry.created_at.astimezone(UTC).isoformat()),
    }


def _query(query: ContextQuery) -> dict[str, Any]:
    return {
        "keywords": query.keywords,
        "category": query.category.value if query.category else None,
        "tags": list(query.tags) if query.tags is not None else None,
        "referenceCode": str(query.reference_code) if query.reference_code else None,
        "maxResults": query.max_results,
    }
