"""The types and the contract of entries specification 1 and 2."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from ctxtui.core.base.errors import invalid
from ctxtui.core.tokens.arguments import a_number, a_text, an_instance, one_of, shown, texts

_CODE = re.compile(r"CTX-([0-9]{4})-([0-9]{2})([0-9]{2})-[0-9]{3,}")


class ContextCategory(StrEnum):
    """The category of an entry (entries specification 1.1); files and JSON contain the values."""

    CUSTOMER_NOTE = "CustomerNote"
    MEETING_NOTE = "MeetingNote"
    DECISION = "Decision"
    LESSON = "Lesson"
    PREFERENCE = "Preference"
    STRATEGIC = "Strategic"
    OPERATIONAL = "Operational"


@dataclass(frozen=True, slots=True)
class ReferenceCode:
    """The code of a message thread, `CTX-YYYY-MMDD-NNN` with three digits or more at its end.

    Raises ValueError for any other text, and for a date that does not exist.
    """

    value: str

    def __post_init__(self) -> None:
        a_text(self.value, "a reference code")
        match = _CODE.fullmatch(self.value)
        if match is None:
            raise ValueError(f"not a reference code: {self.value!r}; write CTX-YYYY-MMDD-NNN")
        try:
            date(*map(int, match.groups()))
        except ValueError as error:
            raise ValueError(f"not a reference code: {self.value!r} contains a date that does not exist") from error

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """One piece of business context (entries specification 1.2).

    `created_at` has an offset from UTC. An entry without an offset cannot be stored. A category may be given by its
    value in any case, a reference code as text. Raises TypeError for values of the wrong type, including a single
    string as tags, ValueError for an unknown category and an invalid reference code.
    """

    entry_id: str
    content: str
    category: ContextCategory
    created_at: datetime
    tags: tuple[str, ...] = ()
    reference_code: ReferenceCode | None = None

    def __post_init__(self) -> None:
        a_text(self.entry_id, "entry_id")
        a_text(self.content, "content")
        an_instance(self.created_at, datetime, "created_at", "a datetime with an offset")
        object.__setattr__(self, "category", one_of(ContextCategory, self.category, "category"))
        object.__setattr__(self, "tags", _tags(self.tags))
        object.__setattr__(self, "reference_code", _code(self.reference_code))


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """Filters that must all match. Empty filters are ignored (entries specification 1.3).

    `keywords` is one text to find in the content, in any case. An entry needs one of the `tags`. At most
    `max_results` entries are returned, none for 0. A category may be given by its value in any case, a reference code
    as text. Raises TypeError for values of the wrong type, including a single string as tags, ValueError for an
    unknown category and an invalid reference code.
    """

    keywords: str | None = None
    category: ContextCategory | None = None
    tags: tuple[str, ...] | None = None
    reference_code: ReferenceCode | None = None
    max_results: int | None = None

    def __post_init__(self) -> None:
        if self.keywords is not None:
            a_text(self.keywords, "keywords")
        category = one_of(ContextCategory, self.category, "category") if self.category not in (None, "") else None
        object.__setattr__(self, "category", category)
        if self.tags is not None:
            object.__setattr__(self, "tags", _tags(self.tags))
        object.__setattr__(self, "reference_code", _code(self.reference_code) if self.reference_code else None)
        if self.max_results is not None:
            a_number(self.max_results, "max_results", least=None)


def checked(entry: object) -> ContextEntry:
    """Return an entry that may be stored. Raises ContextError (invalid_request) for anything else."""
    if not isinstance(entry, ContextEntry):
        raise invalid(f"not an entry: {shown(entry)}", hint="store a ContextEntry")
    return entry


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    if isinstance(tags, str):
        raise TypeError(f"tags should be a tuple of strings, not one string: {tags!r}")
    return texts(tags, "tags")


def _code(value: object) -> ReferenceCode | None:
    if value is None or isinstance(value, ReferenceCode):
        return value
    return ReferenceCode(a_text(value, "reference_code"))


class ContextProvider(Protocol):
    """A store of entries. Calls can be cancelled like any asyncio task, but a write in progress completes."""

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id (entries specification 2.1).

        Raises ContextError: invalid_request for a negative `max_results`, others if the entries cannot be reached.
        """

    async def store(self, entry: ContextEntry) -> None:
        """Store an entry, replacing an entry with the same id (entries specification 2.2).

        Raises ContextError: invalid_request for an entry that cannot be stored unchanged, others if writing fails.
        """
