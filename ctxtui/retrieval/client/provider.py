"""The provider `mcp` of the retrieval specification: asks any MCP server that offers `retrieve_context`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from ctxtui.core.base.notices import OnNotice, log_notice
from ctxtui.core.tokens.arguments import a_function, seconds
from ctxtui.retrieval.as_json import request_json
from ctxtui.retrieval.client.errors import failure
from ctxtui.retrieval.client.link import Link
from ctxtui.retrieval.client.reply import read_reply
from ctxtui.retrieval.client.target import TIMEOUT, McpTarget, target_of
from ctxtui.retrieval.contract import (
    ContextRetrievalRequest,
    ContextSnippet,
    RetrievalError,
    check_request,
    limit_of,
    safe_errors,
)

if TYPE_CHECKING:
    from mcp.types import CallToolResult

_CLOSE_SECONDS: Final = 8.0
# After this many requests in a row without an answer, the connection counts as dead.
_PATIENCE: Final = 3


class McpProvider:
    """Ranked snippets from an engine behind MCP (retrieval specification 8.1); safe from threads and event loops.

    `target` is a command (a list of words, or one line, run without a shell), a URL, or an `McpTarget`. There is
    one connection, opened by the first request or by `connect`, and opened again if it broke. A request takes
    at most `timeout` seconds, including opening: while a server is still starting, the request times out and
    the next one finds the server ready. Close it with `aclose`. Problems of a reply go to `on_notice`.
    Raises ContextError (invalid_request) for a target that cannot be used.
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
        given = (None if timeout is None else seconds(timeout, "timeout"), self._target.timeout, TIMEOUT)
        self._timeout = next(each for each in given if each is not None)
        self._on_notice = a_function(on_notice, "on_notice") or log_notice
        self._errors = errors
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._retired: list[Link] = []
        self._unanswered = 0

    async def connect(self, timeout: float = 15.0) -> None:
        """Open the connection before the first request needs it; raises RetrievalError."""
        with safe_errors():
            link = self._current()
            try:
                async with asyncio.timeout(timeout):
                    await link.opened()
            except RetrievalError:
                self._retire(link)
                raise

    async def retrieve(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        """The engine's best snippets, best first, checked; [] if nothing matches. Raises RetrievalError."""
        with safe_errors():
            check_request(request)
            if request.provider_id != "mcp":
                raise RetrievalError("invalid_request", "this provider is mcp")
            reply = await self._ask(request_json(request))
            return read_reply(reply, limit_of(request), self._on_notice)

    async def aclose(self) -> None:
        """End the connection and the server started for it; a later request opens a new one."""
        with self._lock:
            links = [*self._retired, *([self._link] if self._link else [])]
            self._link, self._retired = None, []
        for link in links:
            link.close()
        for link in links:
            await asyncio.to_thread(link.join, _CLOSE_SECONDS)

    async def _ask(self, arguments: Mapping[str, object]) -> CallToolResult:
        try:
            async with asyncio.timeout(self._timeout):
                return await self._call(arguments)
        except TimeoutError:
            self._note_silence()
            raise failure("timeout", f"no answer within {self._timeout:g} s") from None

    async def _call(self, arguments: Mapping[str, object]) -> CallToolResult:
        """One call; if the connection has broken since its last use, a second one over a new connection."""
        link = self._current()
        try:
            reply = await link.call(arguments, self._timeout)
        except RetrievalError as error:
            if error.category != "timeout":
                self._retire(link)
            if error.category != "unavailable" or not link.has_served:
                raise
            reply = await self._current().call(arguments, self._timeout)
        self._unanswered = 0
        return reply

    def _current(self) -> Link:
        with self._lock:
            if self._link is None or self._link.is_dead:
                self._link = Link(self._target, self._errors)
            return self._link

    def _retire(self, link: Link) -> None:
        link.close()
        with self._lock:
            self._retired = [each for each in self._retired if not each.is_dead]
            if self._link is link:
                self._link = None
                self._retired.append(link)

    def _note_silence(self) -> None:
        """Count an unanswered request; give up a connection after several."""
        self._unanswered += 1
        link = self._link
        if link is not None and link.is_open and self._unanswered >= _PATIENCE:
            self._unanswered = 0
            self._retire(link)
