"""Entries and the records that they are kept as: category and type, reference code and correlation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ctxtui.core.records import Record
from ctxtui.entries.values import ContextCategory, ContextEntry, ReferenceCode

Refuse = Callable[[str, str], None]
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def to_record(entry: ContextEntry, before: Record | None = None) -> Record:
    """The record for an entry; what the one before says that no entry can say stays."""
    code = entry.reference_code
    correlation = str(code) if code else None
    if before and code is None and before.correlation is not None and _code(before.correlation) is None:
        correlation = before.correlation
    return Record(
        id=entry.entry_id,
        type=entry.category.value,
        content=entry.content,
        tags=entry.tags,
        created_at=entry.created_at,
        correlation=correlation,
        extra=before.extra if before else _NOTHING,
    )


def to_entry(record: Record, refuse: Refuse) -> ContextEntry | None:
    """The entry in a record; None for one of another category.

    A reference code that is none is left out. `refuse` is told the code and the message of both.
    """
    code = _code(record.correlation) if record.correlation is not None else None
    if code is None and record.correlation is not None:
        refuse(
            "reference-code", f"`referenceCode` {record.correlation[:80]!r} is not CTX-YYYY-MMDD-NNN; it is ignored"
        )
    try:
        category = ContextCategory(record.type)
    except ValueError:
        known = ", ".join(ContextCategory)
        refuse("unknown-category", f"`category` {record.type[:80]!r} is none of {known}; the entry is left out")
        return None
    return ContextEntry(record.id, record.content, category, record.created_at, record.tags, code)


def _code(text: str) -> ReferenceCode | None:
    try:
        return ReferenceCode(text)
    except ValueError:
        return None
