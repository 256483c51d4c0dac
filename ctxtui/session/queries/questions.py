"""Queries: entries, provider trees, agents' listings, git and notebook outputs, computed on the project."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from ctxtui.agents import load_table
from ctxtui.agents.types import LISTED
from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near, plural
from ctxtui.core.documents.listing import ENTRIES
from ctxtui.core.text.data.schema import Place, Reader, filled, mapping, number, read, text, texts, tokens
from ctxtui.core.text.metadata.reference import encode_id
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.entries import ContextCategory, ContextEntry, ContextQuery, FileContextProvider, ReferenceCode
from ctxtui.entries.source import document_id
from ctxtui.session.agent_start import agent_starts, listing_text
from ctxtui.session.queries.answers import Answer, AnswerItem
from ctxtui.session.queries.git_answers import answer_changed, answer_diff, answer_log
from ctxtui.session.queries.git_questions import read_changes, read_commits
from ctxtui.session.queries.notebook_answers import answer_outputs
from ctxtui.slices import ContextSlice, EntryBoard, run_slice
from ctxtui.slices.declarative import build_provider
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Question:
    """A query read from plain data: its kind, and the value of that key.

    `directory` is the entries directory, relative to the project, None for the only one. `budget` is the maximum
    number of tokens of a provider tree's text. An agent starts in the folder `cwd`, with a `window` in tokens.
    """

    kind: str
    asked: Any
    directory: str | None = None
    budget: int | None = None
    cwd: str = ""
    window: int | None = None


def read_question(place: Place, data: object) -> Question:
    """The query in plain data, as a recipe has it. Raises ContextError (invalid_request). Computes nothing."""
    given = mapping(place, data, _QUESTION)
    kinds = [key for key in given if key in _KINDS]
    if len(kinds) != 1:
        either = " or ".join(f"`{key}`" for key in _KINDS)
        raise place.error(f"a query has either {either}", "; ".join(_KINDS.values()))
    [kind] = kinds
    others = [key for key in given if key != kind]
    if kind in _ALONE and others:
        raise place.unknown(others[0], kinds)
    found = read(place, _without_none(given, "from", "budget", "cwd", "window"), _QUESTION)
    return Question(
        kind, found[kind], found.get("from"), found.get("budget"), found.get("cwd", ""), found.get("window")
    )


def read_filter(place: Place, data: object) -> ContextQuery:
    """The filter of entries with the specification's camelCase keys. Raises ContextError (invalid_request)."""
    found = read(place, _without_none(mapping(place, data, _FILTERS), *_FILTERS), _FILTERS)
    return ContextQuery(
        found.get("keywords"),
        found.get("category"),
        found.get("tags") or None,
        found.get("referenceCode"),
        found.get("maxResults"),
    )


def _without_none(data: Mapping[str, Any], *optional: str) -> dict[str, Any]:
    """The values, without those `optional` keys that are None."""
    return {key: value for key, value in data.items() if value is not None or key not in optional}


def read_category(place: Place, value: object) -> ContextCategory | None:
    """A category by its name, in any case. None for None or "". Raises ContextError (invalid_request)."""
    if value in (None, ""):
        return None
    found = {category.value.lower(): category for category in ContextCategory}.get(str(value).lower())
    if found is None:
        names = [category.value for category in ContextCategory]
        raise place.error(f"unknown category {value}", near(str(value), names) or f"one of {', '.join(names)}")
    return found


def _code(place: Place, value: object) -> ReferenceCode | None:
    try:
        return ReferenceCode(value) if text(place, value) else None  # type: ignore[arg-type]
    except ValueError as error:
        raise place.error(str(error)) from error


def _sound_tree(place: Place, value: object) -> object:
    build_provider(value, place)
    return value


_FILTERS: Final[Mapping[str, Reader]] = {
    "keywords": text,
    "category": read_category,
    "tags": texts,
    "referenceCode": _code,
    "maxResults": number,
}
_KINDS: Final[Mapping[str, str]] = {
    "entries": "`entries:` filters business entries",
    "context": "`context:` is a provider tree",
    "listing": "`listing:` an agent's list",
    "diff": "`diff:` what changed",
    "changed": "`changed:` the changed files",
    "log": "`log:` messages of commits",
    "outputs": "`outputs:` of a notebook",
}
_ALONE: Final[Mapping[str, Callable[[Workspace, Any, str], Answer]]] = {
    "diff": answer_diff,
    "changed": answer_changed,
    "log": answer_log,
    "outputs": lambda workspace, id_, _name: answer_outputs(workspace, id_),
}
"""Kinds whose key stands alone, and the functions that answer them."""

_QUESTION: Final[Mapping[str, Reader]] = {
    "entries": read_filter,
    "context": _sound_tree,
    "from": text,
    "budget": tokens,
    "listing": text,
    "cwd": text,
    "window": tokens,
    "outputs": filled,
    "diff": partial(read_changes, option="whole"),
    "changed": partial(read_changes, option="sections"),
    "log": read_commits,
}


def filter_data(query: ContextQuery) -> dict[str, Any]:
    """The filters that are set, as in a recipe."""
    values = {
        "keywords": query.keywords,
        "category": query.category.value if query.category else None,
        "tags": list(query.tags) if query.tags else None,
        "referenceCode": str(query.reference_code) if query.reference_code else None,
        "maxResults": query.max_results,
    }
    assert len(values) == len(fields(query))
    return {key: value for key, value in values.items() if value not in (None, "")}


def entry_directories(workspace: Workspace) -> list[str]:
    """The folders of the project that hold business entries, `""` for the project itself."""
    paths = (each.path for each in workspace.references if each.source == ENTRIES)
    return list(dict.fromkeys(path.rpartition("/")[0] for path in paths))


def plain_folder(named: str) -> str:
    """A named folder as `entry_directories` has it, without `./` and a slash at its end, "" for the project."""
    place = PurePosixPath(named).as_posix()
    return "" if place == "." else place


def entry_directory(workspace: Workspace, named: str | None) -> str:
    """The entries directory of a query: the `named` folder, which need not exist, else the only one of the project.

    Raises ContextError if the folder leads out, or if there are none or several to choose from.
    """
    if named is not None:
        place = plain_folder(named)
        workspace.reader.root.resolve(place)
        return place
    known = entry_directories(workspace)
    if len(known) == 1:
        return known[0]
    if not known:
        raise ContextError("unavailable", "the project has no entries directory", hint="name one with `from`")
    raise invalid(f"several entries directories: {', '.join(known)}", hint="name one: `from`")


async def answer(workspace: Workspace, definition: str, where: str, counter: TokenCounter) -> Answer:
    """Compute the query in a JSON `definition` on the project as it is on disk.

    `where` names the query in errors and notices. Raises ContextError if the definition is invalid, or if the project
    or git cannot be read.
    """
    question = read_question(Place.named(where), json.loads(definition))
    if question.kind in _ALONE:
        return await asyncio.to_thread(_ALONE[question.kind], workspace, question.asked, where)
    if question.kind == "listing":
        return await asyncio.to_thread(_listing, workspace, question, counter)
    notices: list[Notice] = []
    place = entry_directory(workspace, question.directory)
    directory = workspace.reader.root.below(place)
    if question.kind == "entries":
        provider = FileContextProvider(directory, notices_below(place, notices.append))
        entries = await provider.query(question.asked)
        items = tuple(_in_budget([_entry_item(entry) for entry in entries], question.budget, counter, notices, where))
        return Answer(items, "\n".join(item.text for item in items), tuple(notices))
    board = EntryBoard(directory, notices_below(place, notices.append))
    found = await run_slice(build_provider(question.asked, where), board, on_notice=notices.append)
    return Answer(_slice_items(found), found.to_markdown(question.budget, counter), tuple(notices))


def _listing(workspace: Workspace, question: Question, counter: TokenCounter) -> Answer:
    """The list that an agent sends at the start, empty if the project does not show the agent.

    Raises NotFound for an unknown agent.
    """
    agents = {each.id for each in workspace.scope.table or load_table()}
    agent = str(question.asked)
    if agent not in agents:
        raise NotFound(f"there is no agent {agent}", hint=near(agent, agents))
    starts = agent_starts(workspace, counter, question.window, question.cwd)
    start = next((each for each in starts if each.agent == agent), None)
    if start is None:
        return Answer((), "", ())
    items = (
        AnswerItem(encode_id(each.path), each.row.kind, f"{each.entry.text}\n", each.reason)
        for each in start.entries
        if each.moment in LISTED and each.entry
    )
    return Answer(tuple(items), listing_text(start), ())


def notices_below(place: str, on_notice: OnNotice) -> OnNotice:
    """A receiver that passes notices on with paths below the project, for files directly in the folder `place`."""

    def tell(notice: Notice) -> None:
        name = PurePosixPath(notice.path).name if notice.path else None
        on_notice(Notice(notice.code, notice.message, f"{place}/{name}".lstrip("/") if name else None, notice.line))

    return tell


def _in_budget(
    items: Sequence[AnswerItem], budget: int | None, counter: TokenCounter, notices: list[Notice], where: str
) -> Iterator[AnswerItem]:
    """The first items that fit into `budget` tokens together. Adds a notice that counts the others to `notices`."""
    units = 0
    for place, item in enumerate(items):
        units += counter.units(f"{item.text}\n")
        if budget is not None and counter.upper(units) > budget:
            left = len(items) - place
            entries = plural(len(items), "entry")
            notices.append(Notice("over-budget", f"{where}: {left:,} of {entries} left out to fit its budget"))
            return
        yield item


def _entry_item(entry: ContextEntry) -> AnswerItem:
    day = entry.created_at.astimezone(UTC).date().isoformat()
    besides = [day, *([str(entry.reference_code)] if entry.reference_code else []), *entry.tags]
    heading = f"## {entry.category.value}: {plain_line(entry.entry_id)} ({plain_line(', '.join(besides))})\n\n"
    text = heading + (entry.content if entry.content.endswith("\n") else f"{entry.content}\n")
    return AnswerItem(document_id(entry.entry_id), entry.category.value, text, "entries filter")


def _slice_items(found: ContextSlice) -> tuple[AnswerItem, ...]:
    trace = found.metadata["trace"]
    return tuple(
        AnswerItem(
            document_id(origin.id) if origin.id else "",
            str(item.get("type", "")),
            ContextSlice([item]).to_markdown(),
            " > ".join(origin.path),
        )
        for item, origin in zip(found.items, trace.origins, strict=True)
    )
