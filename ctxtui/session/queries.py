"""Queries: entries chosen by a filter or a provider tree, computed on the current project."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC
from pathlib import PurePosixPath
from typing import Any, Final

from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice, OnNotice
from ctxtui.core.plain import plain_line
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.parse import parse_tokens
from ctxtui.entries import ContextCategory, ContextEntry, ContextQuery, FileContextProvider, ReferenceCode
from ctxtui.entries.source import document_id
from ctxtui.slices import ContextSlice, EntryBoard, run_slice
from ctxtui.slices.declarative import LineOf, build_provider
from ctxtui.workspace.workspace import Workspace, near

_KEYS: Final = ("entries", "context", "from", "budget")
_FILTERS: Final = ("keywords", "category", "tags", "referenceCode", "maxResults")


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """One item of an answer: its id in the tree if it has one, its type, text and provider."""

    id: str
    kind: str
    text: str
    provider: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query: the items, the text to export, and the notices.

    One that `failed` has no items; its last notice says why.
    """

    items: tuple[AnswerItem, ...]
    text: str
    notices: tuple[Notice, ...]
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A query read from plain data: a filter of entries or a tree of providers.

    `directory` is the entries directory, relative to the project, None for the only one; `budget` is the maximum
    number of tokens of a provider tree's text.
    """

    filter: ContextQuery | None
    tree: object
    directory: str | None
    budget: int | None


def read_question(data: object, where: str, file: str = "", line_of: LineOf | None = None) -> Question:
    """The query in plain data, as in a recipe; `line_of` finds the lines of the provider tree in `file`.

    Raises ContextError (invalid_request) naming `where`, the key and the remedy.
    """
    if not isinstance(data, Mapping):
        raise ContextError("invalid_request", f"{where}: a query is a mapping", hint=f"with {', '.join(_KEYS)}")
    for key in data:
        if key not in _KEYS:
            hint = near(str(key), _KEYS) or f"known: {', '.join(_KEYS)}"
            raise ContextError("invalid_request", f"{where}: unknown key `{key}`", hint=hint)
    if ("entries" in data) == ("context" in data):
        hint = "`entries:` filters business entries, `context:` is a provider tree"
        raise ContextError("invalid_request", f"{where}: a query has either `entries` or `context`", hint=hint)
    directory, budget = data.get("from"), data.get("budget")
    if directory is not None and not isinstance(directory, str):
        raise ContextError("invalid_request", f"{where}: `from` names an entries directory of the project")
    if isinstance(budget, bool) or not isinstance(budget, str | int | None):
        raise ContextError("invalid_request", f"{where}: `budget` should be a number of tokens")
    limit = _limit(budget, where) if isinstance(budget, str) else budget
    if "entries" in data:
        return Question(read_filter(data["entries"], f"{where}: entries"), None, directory, limit)
    build_provider(data["context"], file or where, line_of)
    return Question(None, data["context"], directory, limit)


def _limit(text: str, where: str) -> int:
    try:
        return parse_tokens(text)
    except ContextError as error:
        raise ContextError("invalid_request", f"{where}: `budget`: {error.message}", hint=error.hint) from error


def read_filter(data: object, where: str) -> ContextQuery:
    """The filter of entries with the specification's camelCase keys; raises ContextError (invalid_request)."""
    if not isinstance(data, Mapping):
        raise ContextError("invalid_request", f"{where} should be a mapping", hint=f"with {', '.join(_FILTERS)}")
    for key in data:
        if key not in _FILTERS:
            hint = near(str(key), _FILTERS) or f"known: {', '.join(_FILTERS)}"
            raise ContextError("invalid_request", f"{where}: unknown key `{key}`", hint=hint)
    tags, most = data.get("tags"), data.get("maxResults")
    if tags is not None and not (isinstance(tags, list | tuple) and all(isinstance(tag, str) for tag in tags)):
        raise ContextError("invalid_request", f"{where}: `tags` should be a list of texts")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
        raise ContextError("invalid_request", f"{where}: `maxResults` should be a number, 0 or more")
    keywords, code = data.get("keywords"), data.get("referenceCode")
    if not isinstance(keywords, str | None) or not isinstance(code, str | None):
        raise ContextError("invalid_request", f"{where}: `keywords` and `referenceCode` should be texts")
    try:
        reference = ReferenceCode(code) if code else None
    except ValueError as error:
        raise ContextError("invalid_request", f"{where}: {error}") from error
    category = read_category(data.get("category"), where)
    return ContextQuery(keywords, category, tuple(tags) if tags else None, reference, most)


def read_category(value: object, where: str) -> ContextCategory | None:
    """A category by its name, in any case; raises ContextError (invalid_request)."""
    if value in (None, ""):
        return None
    found = {category.value.lower(): category for category in ContextCategory}.get(str(value).lower())
    if found is None:
        names = [category.value for category in ContextCategory]
        hint = near(str(value), names) or f"one of {', '.join(names)}"
        raise ContextError("invalid_request", f"{where}: unknown category {value}", hint=hint)
    return found


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


def definition_of(data: Mapping[str, Any]) -> str:
    """The data of a query as one text, the same for the same data."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)


def entry_directories(workspace: Workspace) -> list[str]:
    """The folders of the project that hold business entries, `""` for the project itself."""
    paths = (each.path for each in workspace.references if each.source == "entries")
    return list(dict.fromkeys(path.rpartition("/")[0] for path in paths))


def entry_directory(workspace: Workspace, named: str | None) -> str:
    """The entries directory of a query; raises ContextError if there are none or several to choose from."""
    known = entry_directories(workspace)
    if named is not None:
        place = PurePosixPath(named).as_posix().removeprefix("./")
        workspace.reader.root.resolve(place)
        return "" if place == "." else place
    if len(known) == 1:
        return known[0]
    if not known:
        raise ContextError("unavailable", "the project has no entries directory", hint="name one with `from`")
    raise ContextError("invalid_request", f"several entries directories: {', '.join(known)}", hint="name one: `from`")


async def answer(workspace: Workspace, definition: str, where: str, counter: TokenCounter) -> Answer:
    """Compute a query; raises ContextError if it is damaged or its directory cannot be read."""
    question = read_question(json.loads(definition), where)
    notices: list[Notice] = []
    place = entry_directory(workspace, question.directory)
    if question.filter is not None:
        provider = FileContextProvider(workspace.root / place, _below(place, notices.append))
        entries = await provider.query(question.filter)
        items = tuple(_within([_entry_item(entry) for entry in entries], question.budget, counter, notices, where))
        return Answer(items, "\n".join(item.text for item in items), tuple(notices))
    board = EntryBoard(workspace.root / place, _below(place, notices.append))
    found = await run_slice(build_provider(question.tree, where), board, on_notice=notices.append)
    return Answer(_slice_items(found), found.to_markdown(question.budget, counter), tuple(notices))


def _below(place: str, on_notice: OnNotice) -> OnNotice:
    """Notices whose paths are relative to the project, like all others."""

    def tell(notice: Notice) -> None:
        name = PurePosixPath(notice.path).name if notice.path else None
        on_notice(Notice(notice.code, notice.message, f"{place}/{name}".lstrip("/") if name else None, notice.line))

    return tell


def _within(
    items: Sequence[AnswerItem], budget: int | None, counter: TokenCounter, notices: list[Notice], where: str
) -> Iterator[AnswerItem]:
    """The first items that fit into a budget together; the others give a notice."""
    units = 0
    for place, item in enumerate(items):
        units += counter.units(f"{item.text}\n")
        if budget is not None and counter.upper(units) > budget:
            left = len(items) - place
            notices.append(Notice("over-budget", f"{where}: {left} of {len(items)} entries left out for its budget"))
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
