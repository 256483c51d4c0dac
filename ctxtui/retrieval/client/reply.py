"""The answer of an engine, checked before it is used (retrieval specification 3.2 and 5)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.secrets import redact
from ctxtui.retrieval.as_json import snippet_from_json
from ctxtui.retrieval.client.errors import category_named, failure
from ctxtui.retrieval.contract import MAX_CONTENT, MAX_LIMIT, ContextSnippet, RetrievalError

if TYPE_CHECKING:
    from mcp.types import CallToolResult

_LISTS = ("result", "snippets")
_NAME: Final = 1_024
"""The maximum number of characters of an id, a path or a source."""

_ROWS: Final = 4 * MAX_LIMIT
"""The maximum number of rows that are read."""


def read_reply(reply: CallToolResult, limit: int, on_notice: OnNotice) -> list[ContextSnippet]:
    """The snippets of a reply, best first, at most `limit`.

    Raises RetrievalError with the category that the engine names, or internal if no part of the reply meets the
    contract. Snippets that break it, that have a path out of the root, or that exceed the limit are dropped, and
    a wrong order is corrected; each with a notice.
    """
    if reply.is_error:
        raise _refusal(reply)
    rows = _rows(reply)
    if len(rows) > limit:
        on_notice(
            Notice("engine-limit", f"the engine returned {plural(len(rows), 'snippet')} for a limit of {limit}")
        )
    found = list(_valid(rows[:_ROWS], on_notice))
    if rows and not found:
        raise RetrievalError("internal", "the engine's answer breaks the contract")
    ranked = sorted(found, key=lambda snippet: -snippet.score)
    if ranked != found:
        on_notice(Notice("engine-order", "the engine's snippets were not in the order of their scores"))
    return ranked[:limit]


def _refusal(reply: CallToolResult) -> RetrievalError:
    told = reply.structured_content if isinstance(reply.structured_content, dict) else {}
    error = told.get("error")
    if isinstance(error, dict) and (category := category_named(error.get("category"))):
        return failure(category, str(error.get("message") or ""))
    text = _text(reply)
    first, _, message = text.partition(":")
    category = category_named(first)
    if category:
        return failure(category, message)
    if text.startswith("Unknown tool"):
        return failure("unavailable", "it offers no retrieve_context")
    return failure("invalid_request" if "validation error" in text else "internal")


def _text(reply: CallToolResult) -> str:
    return "\n".join(each.text for each in reply.content if each.type == "text")


def _rows(reply: CallToolResult) -> list[Any]:
    """The list in a reply: structured, or as JSON in its text."""
    for data in (reply.structured_content, _parsed(_text(reply))):
        rows = _list_in(data)
        if rows is not None:
            return rows
    raise RetrievalError("internal", "the engine's answer contains no list of snippets")


def _list_in(data: object) -> list[Any] | None:
    if isinstance(data, dict):
        data = next((data[key] for key in _LISTS if key in data), None)
    return data if isinstance(data, list) else None


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _valid(rows: Iterable[Any], on_notice: OnNotice) -> Iterable[ContextSnippet]:
    for position, row in enumerate(rows, start=1):
        try:
            snippet = snippet_from_json(row)
        except RetrievalError as error:
            on_notice(Notice("engine-snippet", f"snippet {position} is left out: {error.message}"))
            continue
        if not _is_inside(snippet.path):
            on_notice(Notice("engine-path", f"snippet {position} is left out: its path is not below the root"))
            continue
        yield _tidied(snippet, on_notice)


def _is_inside(path: str) -> bool:
    """Whether a path is relative and stays below its root, read the POSIX way and the Windows way."""
    if not path or len(path) > _NAME or "\0" in path:
        return False
    windows = PureWindowsPath(path)
    return not (PurePosixPath(path).is_absolute() or windows.anchor or ".." in windows.parts)


def _tidied(snippet: ContextSnippet, on_notice: OnNotice) -> ContextSnippet:
    """The snippet under our provider name, its texts bounded, without secrets and encodable."""
    content, secrets = redact(_written(snippet.content))
    if secrets:
        told = plural(len(secrets), "secret of the engine is", "secrets of the engine are")
        on_notice(Notice("redacted-secrets", f"{told} redacted", snippet.path))
    if len(content) > MAX_CONTENT:
        on_notice(Notice("engine-content", f"a snippet of {len(content):,} characters is cut", snippet.path))
        content = _cut(content)
    id_, source = (redact(_written(text))[0][:_NAME] for text in (snippet.id, snippet.source))
    return replace(snippet, id=id_, provider="mcp", source=source, content=content)


def _cut(text: str) -> str:
    """The beginning of a text, at most as long as a snippet may be, cut at a word if possible."""
    head = text[: MAX_CONTENT - 1]
    space = max(head.rfind(" "), head.rfind("\n"))
    return f"{head[: space if space > MAX_CONTENT // 2 else len(head)].rstrip()}…"


def _written(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
