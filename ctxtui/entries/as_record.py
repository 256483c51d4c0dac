"""Conversion of entries to records and JSON: category and type, reference code and correlation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from ctxtui.core.documents.records.directory import Record
from ctxtui.core.text.projection import Shapes, project
from ctxtui.core.tokens.arguments import one_of
from ctxtui.entries.types import ContextCategory, ContextEntry, ContextQuery, ReferenceCode

_SHAPES: Final[Shapes] = {
    ContextEntry: "entry_id content category tags reference_code=reference_code.value created_at",
    ContextQuery: "keywords category tags reference_code=reference_code.value max_results",
}

Refuse = Callable[[str, str], None]


def to_json(value: ContextEntry | ContextQuery | Iterable[ContextEntry]) -> Any:
    """Return an entry, a query or several entries as JSON data, with times in UTC and every key present."""
    return project(value if isinstance(value, ContextEntry | ContextQuery) else list(value), _SHAPES)


def to_record(entry: ContextEntry, before: Record | None = None) -> Record:
    """Convert an entry to a record. Fields of the replaced record `before` that an entry lacks are kept.

    Its spelling of the same category is kept too, and its reference code if an entry cannot have it.
    """
    code = entry.reference_code
    correlation = str(code) if code else None
    if before and code is None and before.correlation is not None and _code(before.correlation) is None:
        correlation = before.correlation
    return Record(
        id=entry.entry_id,
        type=before.type if before and _category(before.type) == entry.category else entry.category.value,
        content=entry.content,
        tags=entry.tags,
        created_at=entry.created_at,
        correlation=correlation,
        extra=before.extra if before else {},
    )


def to_entry(record: Record, refuse: Refuse) -> ContextEntry:
    """Convert a record to an entry. `refuse` receives the code and text of each problem.

    An unknown category becomes Operational, and an invalid reference code is dropped.
    """
    code = _code(record.correlation) if record.correlation is not None else None
    if code is None and record.correlation is not None:
        message = f"`referenceCode` {record.correlation[:80]!r} is not CTX-YYYY-MMDD-NNN; it is ignored"
        refuse("reference-code", message)
    category = _category(record.type)
    if category.value.casefold() != record.type.strip().casefold():
        known = ", ".join(ContextCategory)
        refuse("unknown-category", f"`category` {record.type[:80]!r} is not one of {known}; it is read as {category}")
    return ContextEntry(record.id, record.content, category, record.created_at, record.tags, code)


def _category(text: str) -> ContextCategory:
    """The category of a text in any case, Operational if unknown."""
    try:
        return one_of(ContextCategory, text, "category")
    except ValueError:
        return ContextCategory.OPERATIONAL


def _code(text: str) -> ReferenceCode | None:
    try:
        return ReferenceCode(text)
    except ValueError:
        return None
