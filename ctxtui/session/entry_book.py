"""An entries directory to read, filter and write in: what the Entries screen and `ctxtui entry` share."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Final

from ctxtui.core.errors import ContextError
from ctxtui.core.markdown import slug
from ctxtui.core.notices import OnNotice, log_notice
from ctxtui.entries import ContextEntry, ContextQuery, FileContextProvider, ReferenceCode
from ctxtui.session.queries import read_category
from ctxtui.workspace.workspace import Workspace

# Where entries are written in a project that has none yet (seed 001, "FileContextProvider").
DEFAULT_DIRECTORY: Final = "context"
_ID_WORDS = 6


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry as somebody types it; an empty id gets one made of the day and the first words."""

    content: str
    category: str
    tags: str | Sequence[str] = ()
    reference_code: str = ""
    entry_id: str = ""
    created_at: datetime | None = None


class EntryBook:
    """The entries of one directory of a project, relative to it."""

    def __init__(self, workspace: Workspace, directory: str, on_notice: OnNotice | None = None) -> None:
        self.directory = directory
        place = workspace.reader.root.resolve(directory or ".")
        self._provider = FileContextProvider(place, on_notice or log_notice)

    async def find(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet a filter, newest first; raises ContextError where they cannot be read."""
        return await self._provider.query(query)

    async def write(self, draft: EntryDraft) -> ContextEntry:
        """Store an entry, in place of one with the same id.

        Raises ContextError (invalid_request) for a draft that is no entry, unavailable where writing fails.
        """
        entry = await self._entry(draft)
        await self._provider.store(entry)
        return entry

    async def _entry(self, draft: EntryDraft) -> ContextEntry:
        if not draft.content.strip():
            raise ContextError("invalid_request", "an entry needs a text")
        category = read_category(draft.category, "the entry")
        if category is None:
            raise ContextError("invalid_request", "an entry needs a category", hint="such as Decision or Lesson")
        created = draft.created_at or datetime.now(UTC)
        tags = draft.tags.split(",") if isinstance(draft.tags, str) else draft.tags
        id_ = draft.entry_id.strip()
        if not id_:
            id_ = new_id(draft.content, created, {entry.entry_id for entry in await self.find(ContextQuery())})
        code = draft.reference_code.strip()
        return ContextEntry(
            id_, draft.content, category, created, tuple(tag.strip() for tag in tags if tag.strip()), read_code(code)
        )


def new_id(content: str, created: datetime, taken: Collection[str]) -> str:
    """An id that nobody has, made of the day and the first words."""
    words = slug(" ".join(content.lstrip("#> -").split()[:_ID_WORDS])).strip("-")
    base = f"{created.astimezone(UTC).date().isoformat()}-{words[:60] or 'entry'}"
    numbered = (f"{base}-{number}" for number in count(2))
    return base if base not in taken else next(each for each in numbered if each not in taken)


def read_code(text: str) -> ReferenceCode | None:
    """A reference code, None for an empty text; raises ContextError (invalid_request)."""
    try:
        return ReferenceCode(text) if text else None
    except ValueError as error:
        raise ContextError("invalid_request", str(error), hint="such as CTX-2026-0226-001") from error


def typed_filter(text: str) -> ContextQuery:
    """The filter that one line means: `@category`, `#tag`, a reference code, and the rest as keywords.

    Raises ContextError (invalid_request) for an unknown category and a code that is none.
    """
    category, code, tags, words = None, None, [], []
    for word in text.split():
        if word.startswith("@") and len(word) > 1:
            category = read_category(word[1:], "the filter")
        elif word.startswith("#") and len(word) > 1:
            tags.append(word[1:])
        elif word.upper().startswith("CTX-"):
            code = read_code(word.upper())
        else:
            words.append(word)
    return ContextQuery(" ".join(words) or None, category, tuple(tags) or None, code)
