"""Transport over stdin and stdout, which carries only the protocol."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_CHUNK: Final = 64 * 1024
_LINE: Final = 4 * 1024 * 1024
# The seconds that requests have after stdin ended.
_GRACE: Final = 5.0


class _Lines:
    """The lines of a descriptor, read by a thread that the server need not wait for when it ends.

    The SDK's own reader blocks in a read that only the peer can end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue(16)
        threading.Thread(target=self._read_chunks, name="ctxtui-stdin", daemon=True).start()

    def end(self) -> None:
        """End the lines as if the peer had closed them."""
        while self._chunks.full():
            self._chunks.get_nowait()
        self._chunks.put_nowait(b"")

    def _read_chunks(self) -> None:
        """Put chunks into the queue until the descriptor or the loop ends. The last chunk is empty."""
        while True:
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except OSError:
                chunk = b""
            put = self._chunks.put(chunk)
            try:
                asyncio.run_coroutine_threadsafe(put, self._loop).result()
            except RuntimeError:
                put.close()
                return
            if not chunk:
                return

    async def __aiter__(self) -> AsyncIterator[str]:
        """Line by line. A line too long for any request is cut, so that it is refused as invalid JSON."""
        rest = b""
        while chunk := await self._chunks.get():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode("utf-8", "replace")
            rest = rest[:_LINE]
        if rest:
            yield rest.decode("utf-8", "replace")


class _Relay:
    """Passes requests on to the server and its answers back, and ends the requests once all are answered.

    The SDK drops calls that run when its stream of requests ends, so that a file on stdin would have no answers.
    """

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._unanswered: set[Any] = set()
        self._answered = asyncio.Event()

    async def pass_requests(self, reader: Any, server: Any) -> None:
        """Pass on requests until `reader` ends, then wait up to `_GRACE` seconds for their answers."""
        # The server may have ended before its requests.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with server:
                async for item in reader:
                    message: Any = getattr(item, "message", None)
                    if hasattr(message, "method"):
                        self._unanswered |= {message.id} if hasattr(message, "id") else set()
                    await server.send(item)
                with anyio.move_on_after(_GRACE):
                    while self._unanswered and not self._stop.is_set():
                        await self._answered.wait()
                        self._answered.clear()

    async def pass_answers(self, server: Any, writer: Any) -> None:
        async with server, writer:
            async for item in server:
                await writer.send(item)
                self._unanswered.discard(getattr(item.message, "id", None))
                self._answered.set()


async def serve_stdio(server: Server[Any], stop: asyncio.Event) -> None:
    """Serve until stdin ends or `stop` is set. Calls that run when stdin ends have a few seconds to answer.

    Raises OSError if stdout cannot be written, but not for a closed pipe.
    """
    failure: BaseException | None = None
    lines = _Lines(sys.stdin.fileno())
    stopping = asyncio.create_task(_end_after(lines, stop))
    try:
        # The SDK only iterates over the lines of its file.
        async with stdio_server(stdin=cast("Any", lines)) as (reader, writer):
            relay = _Relay(stop)
            to_server, requests = anyio.create_memory_object_stream[Any](0)
            replies, from_server = anyio.create_memory_object_stream[Any](0)
            async with anyio.create_task_group() as passing:
                passing.start_soon(relay.pass_requests, reader, to_server)
                passing.start_soon(relay.pass_answers, from_server, writer)
                await server.run(requests, replies, server.create_initialization_options())
    except* ConnectionError:
        # The peer is gone, so nobody can be notified.
        pass
    except* OSError as group:
        failure = group
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
    finally:
        stopping.cancel()
    if failure is not None:
        raise failure


async def _end_after(lines: _Lines, stop: asyncio.Event) -> None:
    await stop.wait()
    lines.end()
