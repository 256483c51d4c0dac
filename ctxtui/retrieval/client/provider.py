"""The provider `mcp` of the retrieval specification: asks any MCP server that offers `retrieve_context`."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final, TextIO

from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.secrets import redact
from ctxtui.core.tokens.arguments import a_function, seconds
from ctxtui.retrieval.as_json import request_json, snippet_from_json
from ctxtui.retrieval.client.errors import category_named, failure
from ctxtui.retrieval.client.link import Link
from ctxtui.retrieval.client.target import TIMEOUT, McpTarget, target_of
from ctxtui.retrieval.contract import (
    MAX_CONTENT,
    MAX_LIMIT,
    ContextRetrievalRequest,
    ContextSnippet,
    RetrievalError,
    check_request,
    limit_of,
    safe_errors,
)

if TYPE_CHECKING:
    from mcp.types import CallToolResult

_LISTS = ("result", "snippets")
_NAME: Final = 1_024
"""The maximum number of characters of an id, a path or a source."""

_ROWS: Final = 4 * MAX_LIMIT
"""The maximum number of rows that are read."""

_CLOSE_SECONDS: Final = 8.0
# After this many unanswered requests in a row, the connection counts as dead, and the next request opens another.
_PATIENCE: Final = 3


def read_reply(reply: CallToolResult, limit: int, on_notice: OnNotice) -> list[ContextSnippet]:
    """The snippets of a reply, best first, at most `limit`.

    Raises RetrievalError with the engine's category, or internal if no part of the reply meets the contract. Invalid
    snippets, paths out of the root and snippets beyond the limit are dropped, and a wrong order is corrected, each
    with a notice.
    """
    if reply.is_error:
        raise _error_of(reply)
    rows = _snippet_rows(reply)
    if len(rows) > limit:
        message = f"the engine returned {plural(len(rows), 'snippet')} for a limit of {limit}"
        on_notice(Notice("engine-limit", message))
    snippets = list(_valid_snippets(rows[:_ROWS], on_notice))
    if rows and not snippets:
        raise RetrievalError("internal", "the engine's answer breaks the contract")
    ranked = sorted(snippets, key=lambda snippet: -snippet.score)
    if ranked != snippets:
        on_notice(Notice("engine-order", "the engine's snippets were not in the order of their scores"))
    return ranked[:limit]


def _error_of(reply: CallToolResult) -> RetrievalError:
    """The error of a failed reply: by its structured category, else by its text."""
    structured = reply.structured_content if isinstance(reply.structured_content, dict) else {}
    error = structured.get("error")
    if isinstance(error, dict) and (category := category_named(error.get("category"))):
        return failure(category, str(error.get("message") or ""))
    text = _text(reply)
    first, _, message = text.partition(":")
    if category := category_named(first):
        return failure(category, message)
    if text.startswith("Unknown tool"):
        return failure("unavailable", "it offers no retrieve_context")
    return failure("invalid_request" if "validation error" in text else "internal")


def _text(reply: CallToolResult) -> str:
    return "\n".join(each.text for each in reply.content if each.type == "text")


def _snippet_rows(reply: CallToolResult) -> list[Any]:
    """The list in a reply, structured or as JSON text. Raises RetrievalError (internal) without a list."""
    data: object
    for data in (reply.structured_content, _parsed(_text(reply))):
        if isinstance(data, dict):
            data = next((data[key] for key in _LISTS if key in data), None)
        if isinstance(data, list):
            return data
    raise RetrievalError("internal", "the engine's answer contains no list of snippets")


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _valid_snippets(rows: Iterable[Any], on_notice: OnNotice) -> Iterable[ContextSnippet]:
    """The snippets that meet the contract, made safe to show. Others become notices."""
    for position, row in enumerate(rows, start=1):
        try:
            snippet = snippet_from_json(row)
        except RetrievalError as error:
            on_notice(Notice("engine-snippet", f"snippet {position} is left out: {error.message}"))
            continue
        if not _is_inside(snippet.path):
            on_notice(Notice("engine-path", f"snippet {position} is left out: its path is not below the root"))
            continue
        yield _safe_snippet(snippet, on_notice)


def _is_inside(path: str) -> bool:
    """Whether a path is relative and stays below its root, on POSIX and on Windows."""
    if not path or len(path) > _NAME or "\0" in path:
        return False
    windows = PureWindowsPath(path)
    return not (PurePosixPath(path).is_absolute() or windows.anchor or ".." in windows.parts)


def _safe_snippet(snippet: ContextSnippet, on_notice: OnNotice) -> ContextSnippet:
    """The snippet under our provider name, with bounded, encodable texts without secrets."""
    names = (snippet.id, snippet.path, snippet.source)
    id_, path, source = (redact(_encodable(text))[0][:_NAME] for text in names)
    content, secrets = redact(_encodable(snippet.content))
    if secrets:
        count = plural(len(secrets), "secret of the engine is", "secrets of the engine are")
        on_notice(Notice("redacted-secrets", f"{count} redacted", path))
    if len(content) > MAX_CONTENT:
        on_notice(Notice("engine-content", f"a snippet of {len(content):,} characters is cut", path))
        head = content[: MAX_CONTENT - 1]
        space = max(head.rfind(" "), head.rfind("\n"))
        # At a word if possible.
        content = f"{head[: space if space > MAX_CONTENT // 2 else len(head)].rstrip()}…"
    return ContextSnippet(id_, "mcp", path, source, content, snippet.score)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


class McpProvider:
    """Ranked snippets from an engine behind MCP (retrieval specification 8.1). Safe from threads and event loops.

    `target` is a command (a list of words, or one line, run without a shell), a URL, or an `McpTarget`. The one
    connection is opened by `connect` or the first request, and opened again if it broke. A request takes at most
    `timeout` seconds, including opening: while a server is still starting, the request times out and the next request
    finds the server ready. Close it with `aclose`. Problems of a reply go to `on_notice`. Raises ContextError
    (invalid_request) for an invalid target.
    """

    def __init__(
        self,
        target: McpTarget | str | Sequence[str],
        timeout: float | None = None,
        *,
        on_notice: OnNotice | None = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
        errors: TextIO | None = None,
    ) -> None:
        self._target = target_of(target, headers, token)
        own = TIMEOUT if self._target.timeout is None else self._target.timeout
        self._timeout = own if timeout is None else seconds(timeout, "timeout")
        self._on_notice = a_function(on_notice, "on_notice") or log_notice
        self._errors = errors
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._retired: list[Link] = []
        self._unanswered = 0

    async def connect(self, timeout: float = 15.0) -> None:
        """Open the connection before the first request needs it. Raises RetrievalError."""
        with safe_errors():
            link = self._current_link()
            try:
                async with asyncio.timeout(timeout):
                    await link.opened()
            except RetrievalError:
                self._retire(link)
                raise

    async def retrieve(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        """The engine's best snippets, best first, checked. Empty if nothing matches. Raises RetrievalError."""
        with safe_errors():
            check_request(request)
            if request.provider_id != "mcp":
                raise RetrievalError("invalid_request", "this provider is mcp")
            reply = await self._ask(request_json(request))
            return read_reply(reply, limit_of(request), self._on_notice)

    async def aclose(self) -> None:
        """End the connection and the server started for it. A later request opens a new connection."""
        with self._lock:
            links = [*self._retired, *([self._link] if self._link else [])]
            self._link, self._retired = None, []
        for link in links:
            link.close()
        for link in links:
            await asyncio.to_thread(link.join, _CLOSE_SECONDS)

    async def _ask(self, arguments: Mapping[str, object]) -> CallToolResult:
        """The engine's reply. Raises RetrievalError. After three timeouts in a row, the connection is replaced."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._call(arguments)
        except TimeoutError:
            self._unanswered += 1
            link = self._link
            if link is not None and link.is_open and self._unanswered >= _PATIENCE:
                self._unanswered = 0
                self._retire(link)
            raise failure("timeout", f"no answer within {self._timeout:g} s") from None

    async def _call(self, arguments: Mapping[str, object]) -> CallToolResult:
        """Call the engine, and once more over a new connection if the old one broke since its last use."""
        link = self._current_link()
        try:
            reply = await link.call(arguments, self._timeout)
        except RetrievalError as error:
            if error.category != "timeout":
                self._retire(link)
            if error.category != "unavailable" or not link.has_served:
                raise
            reply = await self._current_link().call(arguments, self._timeout)
        self._unanswered = 0
        return reply

    def _current_link(self) -> Link:
        with self._lock:
            if self._link is None or self._link.is_dead:
                self._link = Link(self._target, self._errors)
            return self._link

    def _retire(self, link: Link) -> None:
        """Close a connection. If it is the current connection, `aclose` waits for its end."""
        link.close()
        with self._lock:
            self._retired = [each for each in self._retired if not each.is_dead]
            if self._link is link:
                self._link = None
                self._retired.append(link)
