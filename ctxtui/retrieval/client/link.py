"""One connection to an engine, in a thread of its own, safe from a caller's cancellation."""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from ctxtui.core.base.errors import Category, ContextError
from ctxtui.retrieval.client.errors import connection_failure, failure, refused_over_http, require_sdk
from ctxtui.retrieval.client.http import over_http
from ctxtui.retrieval.client.target import McpTarget
from ctxtui.retrieval.contract import RetrievalError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import anyio
    import httpx2
    from anyio.from_thread import BlockingPortal
    from mcp import Client
    from mcp.client._transport import TransportStreams
    from mcp.types import CallToolResult

TOOL: Final = "retrieve_context"
_CONNECT_SECONDS: Final = 15.0


class Link:
    """A connection that opens in the background when created, and serves any event loop.

    The SDK makes a cancelled caller wait for the end of the server. Here only the link's own thread waits. The stderr
    of a started server goes to `errors`, or nowhere by default.
    """

    def __init__(self, target: McpTarget, errors: TextIO | None = None) -> None:
        self.has_served = False
        self._target = target
        self._errors = errors
        self._refused: Category | None = None
        self._opened: Future[Client] = Future()
        self._portal: Future[BlockingPortal] = Future()
        self._connecting: anyio.CancelScope | None = None
        self._thread = threading.Thread(target=self._run, name="ctxtui-mcp", daemon=True)
        self._thread.start()

    @property
    def is_dead(self) -> bool:
        """Whether the connection has ended or could not be opened."""
        return not self._thread.is_alive()

    @property
    def is_open(self) -> bool:
        return self._opened.done() and self._opened.exception() is None

    async def opened(self) -> None:
        """Wait until the connection is open. Raises RetrievalError if it cannot be opened."""
        waiter: Future[None] = Future()
        self._opened.add_done_callback(lambda ended: _settle(waiter, ended.exception()))
        await asyncio.wrap_future(waiter)

    async def call(self, arguments: Mapping[str, object], seconds: float) -> CallToolResult:
        """The engine's answer to one call of `retrieve_context`. Raises RetrievalError.

        A cancelled caller returns at once, and the engine is notified. The call is abandoned after `seconds`.
        """
        await self.opened()
        portal = self._portal.result()
        try:
            result = await portal.call_async(self._call, dict(arguments), seconds, abandon_on_cancel=True)
        except (RuntimeError, CancelledError):
            raise failure("unavailable", "the connection has ended") from None
        self.has_served = True
        return result

    def close(self) -> None:
        """End the connection. A server that was started gets two seconds to exit by itself."""
        with suppress(RuntimeError):  # it has ended already
            self._portal.result().start_task_soon(self._end)

    def _end(self) -> None:
        self._stop.set()
        if not self._opened.done() and self._connecting:
            self._connecting.cancel()

    def join(self, seconds: float) -> None:
        """Wait at most `seconds` for the end of the connection."""
        self._thread.join(seconds)

    def _run(self) -> None:
        import anyio  # noqa: PLC0415 - only requests to an engine need it

        anyio.run(self._keep)

    async def _keep(self) -> None:
        """Connect, and stay connected until stopped or until the connection breaks."""
        from anyio import Event  # noqa: PLC0415 - loaded by `_run`
        from anyio.from_thread import BlockingPortal  # noqa: PLC0415

        self._stop = Event()
        async with BlockingPortal() as portal:
            self._portal.set_result(portal)
            try:
                require_sdk()
                await self._serve()
            except ContextError as error:
                _settle(self._opened, RetrievalError(error.category, error.message, error.hint))
            except Exception as error:  # noqa: BLE001 - callers get every error as a category
                _settle(self._opened, connection_failure(error, self._refused))
            finally:
                _settle(self._opened, failure("unavailable", "the connection has ended"))
                await portal.stop(cancel_remaining=True)

    async def _serve(self) -> None:
        """Connect, check the tools and wait for `close`. Raises TimeoutError and the exceptions of the SDK."""
        import anyio  # noqa: PLC0415 - loaded by `_run`
        from mcp import Client  # noqa: PLC0415 - takes a second or two, in this thread

        with anyio.CancelScope(deadline=anyio.current_time() + _CONNECT_SECONDS) as self._connecting:
            # A probe for newer protocols would wait ten seconds for a silent command.
            mode = "auto" if self._target.url else "legacy"
            transport = self._over_http(self._target.url) if self._target.url else self._over_stdio()
            async with Client(transport, mode=mode) as client:
                # The list also spares the SDK a request at the call.
                listed = await client.list_tools()
                if listed.next_cursor is None and all(tool.name != TOOL for tool in listed.tools):
                    raise failure("unavailable", f"it offers no {TOOL}")
                self._connecting.deadline = math.inf
                self._opened.set_result(client)
                await self._stop.wait()
        if self._connecting.cancelled_caught:
            raise TimeoutError

    @asynccontextmanager
    async def _over_stdio(self) -> AsyncIterator[TransportStreams]:
        from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415 - as in `_serve`

        command, *words = self._target.command
        parameters = StdioServerParameters(
            command=command, args=words, env=dict(self._target.env), cwd=self._target.cwd
        )
        with Path(os.devnull).open("w") as nowhere:
            async with stdio_client(parameters, errlog=self._errors or nowhere) as streams:
                yield streams

    @asynccontextmanager
    async def _over_http(self, url: str) -> AsyncIterator[TransportStreams]:
        async def remember_refusal(response: httpx2.Response) -> None:
            if response.request.method == "POST":
                self._refused = refused_over_http(response.status_code, response.headers.get("content-type", ""))

        async with over_http(url, self._headers(), self._target.is_local, remember_refusal) as streams:
            yield streams

    def _headers(self) -> dict[str, str]:
        """The headers with the bearer token. Raises RetrievalError (unauthorized) if its variable is empty."""
        headers = dict(self._target.headers)
        token = self._target.token
        if self._target.token_env:
            token = os.environ.get(self._target.token_env)
            if not token:
                raise RetrievalError("unauthorized", f"the variable {self._target.token_env} is empty or not set")
        return headers | ({"Authorization": f"Bearer {token}"} if token else {})

    async def _call(self, arguments: dict[str, object], seconds: float) -> CallToolResult:
        try:
            return await self._opened.result().call_tool(TOOL, arguments, read_timeout_seconds=seconds)
        except Exception as error:  # noqa: BLE001 - the caller gets every error as a category
            raise connection_failure(error, self._refused) from None


def _settle(outcome: Future[Any], error: BaseException | None) -> None:
    """Set the error of a future, or its result None without an error, unless it is already done or cancelled."""
    with suppress(InvalidStateError):
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(None)
