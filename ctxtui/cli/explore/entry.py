"""`ctxtui entry query` and `ctxtui entry add`: business entries without the screen."""

from __future__ import annotations

import argparse
import asyncio
from datetime import UTC

from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put, read_stdin
from ctxtui.cli.project import Narrator, aligned, narrated, open_project
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.text.data.schema import Place
from ctxtui.entries.as_record import to_json
from ctxtui.entries.types import ContextEntry, ContextQuery
from ctxtui.session.queries.entry_book import (
    DEFAULT_DIRECTORY,
    EntryBook,
    EntryDraft,
    EntryExists,
    read_code,
    read_time,
)
from ctxtui.session.queries.questions import entry_directories, entry_directory, read_category
from ctxtui.workspace.workspace import Workspace


@narrated
def run_entry(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Query the business entries or add one, in the named entries directory or the project's only one."""
    workspace, _ = open_project(arguments, narrator)
    run = _query if arguments.what == "query" else _add
    return run(workspace, arguments, narrator)


def _query(workspace: Workspace, arguments: argparse.Namespace, narrator: Narrator) -> int:
    if arguments.limit is not None and arguments.limit < 0:
        raise invalid(f"--limit {arguments.limit} is negative", hint="give 0 or more")
    query = ContextQuery(
        arguments.keywords,
        read_category(Place.named("--category"), arguments.category),
        tuple(arguments.tag) if arguments.tag else None,
        read_code(arguments.reference or ""),
        arguments.limit,
    )
    place, known = entry_directory(workspace, arguments.directory_name), entry_directories(workspace)
    if place not in known and not is_folder(workspace.root / place):
        hint = f"known: {', '.join(each or '.' for each in known)}" if known else None
        raise NotFound(f"no entries directory {place}", hint=hint)
    book = EntryBook(workspace, place, narrator)
    found = asyncio.run(book.find(query))
    if arguments.json:
        print_json(to_json(found), narrator.notices)
    elif found:
        put("\n".join(aligned([_row(entry) for entry in found])))
    narrator.say(f"{len(found)} found in {book.directory or '.'}")
    return DONE


def _row(entry: ContextEntry) -> tuple[str, ...]:
    day = entry.created_at.astimezone(UTC).date().isoformat()
    besides = [f"#{tag}" for tag in entry.tags] + ([str(entry.reference_code)] if entry.reference_code else [])
    first = next((line for line in entry.content.splitlines() if line.strip()), "")
    id_, told = plain_line(entry.entry_id), plain_line(" ".join(besides))
    return day, entry.category.value, id_, told, plain_line(first)[:80]


def _add(workspace: Workspace, arguments: argparse.Namespace, narrator: Narrator) -> int:
    content = read_stdin() if arguments.content == "-" else arguments.content
    draft = EntryDraft(
        content,
        arguments.category,
        tuple(arguments.tag or ()),
        arguments.reference or "",
        arguments.id or "",
        read_time("--created", arguments.created),
    )
    if arguments.replace and not draft.entry_id.strip():
        raise invalid("--replace needs --id", hint="name the entry to replace")
    known = entry_directories(workspace)
    named = arguments.directory_name or (None if known else DEFAULT_DIRECTORY)
    book = EntryBook(workspace, entry_directory(workspace, named), narrator)
    try:
        written = asyncio.run(book.replace(draft) if arguments.replace else book.add(draft))
    except EntryExists as error:
        raise invalid(error.message, hint="add --replace to replace it, or give another --id") from error
    if written.remark:
        narrator.say(written.remark)
    if arguments.json:
        print_json(to_json(written.entry), narrator.notices)
    else:
        put(plain_line(written.entry.entry_id))
    narrator.say(f"stored in {book.directory or '.'}")
    return DONE
