"""Read, filter and write an entries directory, for the Entries screen and `ctxtui entry`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import OnNotice
from ctxtui.core.disk.own_folders import with_tilde
from ctxtui.core.disk.state_folder import back_up
from ctxtui.core.text.data.schema import Place
from ctxtui.core.text.markdown.scan import slug
from ctxtui.entries import ContextEntry, ContextQuery, FileContextProvider, ReferenceCode
from ctxtui.session.queries.questions import notices_below, read_category
from ctxtui.workspace.workspace import Workspace

# The directory for the first entry of a project (entries specification 4).
DEFAULT_DIRECTORY: Final = "context"
_ID_WORDS = 6


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry as typed. An empty id is replaced by the day and the first words."""

    content: str
    category: str
    tags: str | Sequence[str] = ()
    reference_code: str = ""
    entry_id: str = ""
    created_at: datetime | None = None


class EntryExists(ContextError):
    """Raised (invalid_request) for an entry that must not be replaced without confirmation."""


@dataclass(frozen=True, slots=True)
class Written:
    """A stored entry, and the path where the text that it replaced is kept, if any."""

    entry: ContextEntry
    kept: Path | None = None

    @property
    def remark(self) -> str | None:
        """A sentence that says where the replaced text is, None if nothing was replaced."""
        if self.kept is None:
            return None
        return f"the old text of {self.entry.entry_id} is kept in {with_tilde(str(self.kept))}"


class EntryBook:
    """The entries of one directory of a project, which need not exist before the first entry."""

    def __init__(self, workspace: Workspace, directory: str, on_notice: OnNotice) -> None:
        self.directory = directory
        root = workspace.reader.root.below(directory or ".")
        self._place = root.path
        self._provider = FileContextProvider(root, notices_below(directory, on_notice))

    async def find(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that match a filter, newest first. Raises ContextError if they cannot be read."""
        return await self._provider.query(query)

    async def add(self, draft: EntryDraft) -> Written:
        """Store a new entry. Several processes can add at once.

        Raises EntryExists if the draft's id is taken, ContextError: invalid_request for an invalid draft, unavailable
        if writing fails.
        """
        entry = _entry(draft)
        if entry.entry_id:
            if await self._provider.create(entry):
                return Written(entry)
            message = f"{self.directory or '.'} already has an entry {entry.entry_id[:80]!r}"
            hint = "give another id, or confirm that it should be replaced"
            raise EntryExists("invalid_request", message, hint=hint)
        for id_ in new_ids(entry.content, entry.created_at):
            named = replace(entry, entry_id=id_)
            if await self._provider.create(named):
                return Written(named)
        raise AssertionError("ids do not run out")

    async def replace(self, draft: EntryDraft, known: ContextEntry | None = None) -> Written:
        """Replace the entry with the draft's id. The old file is kept in the user's state folder.

        Raises EntryExists if the stored entry is no longer the `known` entry (if given), otherwise as `add` does.
        """
        entry = _entry(draft)
        if not entry.entry_id:
            raise invalid("nothing to replace without an id", hint="name the entry")
        kept: list[Path] = []
        expected = (lambda found: found == known) if known else None
        is_stored = await self._provider.replace(
            entry, lambda name, data: kept.append(back_up(self._place, name, data)), expected
        )
        if not is_stored:
            message = f"the entry {entry.entry_id[:80]!r} was changed or removed meanwhile"
            hint = "check it, or confirm that it should be replaced"
            raise EntryExists("invalid_request", message, hint=hint)
        return Written(entry, kept[-1] if kept else None)


def _entry(draft: EntryDraft) -> ContextEntry:
    """The entry of a draft, created now by default, with an empty id if it has none.

    Raises ContextError (invalid_request) without text or category, and for an unknown category or invalid code.
    """
    if not draft.content.strip():
        raise invalid("an entry needs text")
    category = read_category(Place.named("the entry"), draft.category)
    if category is None:
        raise invalid("an entry needs a category", hint="such as Decision or Lesson")
    tags = draft.tags.split(",") if isinstance(draft.tags, str) else draft.tags
    return ContextEntry(
        draft.entry_id.strip(),
        draft.content,
        category,
        draft.created_at or datetime.now(UTC),
        tuple(tag.strip() for tag in tags if tag.strip()),
        read_code(draft.reference_code.strip()),
    )


def new_ids(content: str, created: datetime) -> Iterator[str]:
    """Ids from the day and the first words, best first, without end."""
    words = slug(" ".join(content.lstrip("#> -").split()[:_ID_WORDS])).strip("-")
    base = f"{created.astimezone(UTC).date().isoformat()}-{words[:60] or 'entry'}"
    yield base
    yield from (f"{base}-{number}" for number in count(2))


def read_code(text: str) -> ReferenceCode | None:
    """A reference code, None for an empty text. Raises ContextError (invalid_request)."""
    try:
        return ReferenceCode(text) if text else None
    except ValueError as error:
        raise invalid(str(error), hint="such as CTX-2026-0226-001") from error


def read_time(name: str, text: str | None) -> datetime | None:
    """The time in an ISO text, None for None.

    Raises ContextError (invalid_request) with `name` at the start, also for a time without a UTC offset.
    """
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        # In UTC, a time of the first or last day may not exist.
        time.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise invalid(f"{name} {text} is not a time", hint="such as 2026-02-26T10:00:00Z") from error
    if time.tzinfo is None:
        raise invalid(f"{name} {text} has no UTC offset", hint="add Z for UTC")
    return time


def typed_filter(text: str) -> ContextQuery:
    """The filter in one line: `@category`, `#tag`, a reference code, and keywords.

    Raises ContextError (invalid_request) for an unknown category and an invalid code.
    """
    category, code, tags, words = None, None, [], []
    for word in text.split():
        if word.startswith("@") and len(word) > 1:
            category = read_category(Place.named("the filter"), word[1:])
        elif word.startswith("#") and len(word) > 1:
            tags.append(word[1:])
        elif word.upper().startswith("CTX-"):
            code = read_code(word.upper())
        else:
            words.append(word)
    return ContextQuery(" ".join(words) or None, category, tuple(tags) or None, code)
