"""The tools `query_entries` and `store_entry` for business entries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.data.schema import Place
from ctxtui.entries.as_record import to_json
from ctxtui.entries.types import ContextCategory, ContextEntry
from ctxtui.mcp.tool import FLAG, NUMBER, TEXT, TEXTS, Call, Schema, Tool
from ctxtui.session.queries.entry_book import DEFAULT_DIRECTORY, EntryBook, EntryDraft, EntryExists, read_time
from ctxtui.session.queries.questions import entry_directories, plain_folder, read_filter

_MAX_RESULTS: Final = 50
_CATEGORY: Final[Schema] = {"enum": [each.value for each in ContextCategory]}
_DIRECTORY: Final[Schema] = {"type": "string", "description": "if there are several"}
_FILTERS: Final[dict[str, Schema]] = {
    "keywords": {"type": "string", "description": "a literal string"},
    "category": _CATEGORY,
    "tags": {**TEXTS, "description": "any of"},
    "referenceCode": TEXT,
    "maxResults": {**NUMBER, "description": f"default {_MAX_RESULTS}"},
}


async def _query(call: Call) -> object:
    given = {name: call.arguments.get(name) for name in _FILTERS if call.arguments.get(name) is not None}
    query = read_filter(Place.named("query_entries"), {"maxResults": _MAX_RESULTS} | given)
    entries: list[ContextEntry] = []
    for book in await asyncio.to_thread(_books, call):
        entries += await book.find(query)
    entries.sort(key=lambda entry: entry.entry_id)
    entries.sort(key=lambda entry: entry.created_at, reverse=True)
    return to_json(entries[: query.max_results])


async def _store(call: Call) -> object:
    arguments = call.arguments
    draft = EntryDraft(
        arguments.text("content"),
        arguments.text("category"),
        arguments.texts("tags"),
        arguments.optional_text("referenceCode") or "",
        arguments.optional_text("entryId") or "",
        read_time("createdAt", arguments.optional_text("createdAt")),
    )
    books = await asyncio.to_thread(_books, call, DEFAULT_DIRECTORY)
    if len(books) > 1:
        names = ", ".join(book.directory or "." for book in books)
        raise invalid("several entries directories", hint=f"name one as directory: {names}")
    try:
        written = await (books[0].replace(draft) if arguments.flag("replace") else books[0].add(draft))
    except EntryExists as error:
        raise invalid(error.message, hint="send replace: true to replace it, or another entryId") from error
    if written.remark:
        call.tell(Notice("entry-replaced", written.remark))
    return to_json(written.entry)


def _books(call: Call, default: str | None = None) -> Sequence[EntryBook]:
    """The entries directories of a call: the one that it names, else all, else `default` if there are none."""
    workspace = call.project.workspace()
    found = entry_directories(workspace)
    named = call.arguments.optional_text("directory")
    if named is not None:
        wanted = plain_folder(named)
        if wanted not in found:
            hint = f"known: {', '.join(name or '.' for name in found)}" if found else None
            raise NotFound(f"no entries directory {named}", hint=hint)
        found = [wanted]
    elif not found and default is not None:
        found = [default]
    return [EntryBook(workspace, name, call.tell) for name in found]


QUERY: Final = Tool(
    "query_entries",
    "Business notes (customers, meetings, decisions) that meet all filters, newest first.",
    _query,
    {**_FILTERS, "directory": _DIRECTORY},
)
STORE: Final = Tool(
    "store_entry",
    "Store a business note. An existing entryId is rejected unless replace is true; the replaced note is kept.",
    _store,
    {
        "content": TEXT,
        "category": _CATEGORY,
        "entryId": {"type": "string", "description": "default: from day and first words"},
        "replace": {**FLAG, "description": "replace the note with that entryId"},
        "tags": TEXTS,
        "referenceCode": {"type": "string", "description": "CTX-YYYY-MMDD-NNN"},
        "createdAt": {"type": "string", "description": "default now"},
        "directory": _DIRECTORY,
    },
    ("content", "category"),
    writes=True,
)
