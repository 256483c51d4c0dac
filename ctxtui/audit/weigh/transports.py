"""Connections to untrusted servers: their output is limited, and all their processes end with them.

Requires the MCP SDK: call `require_sdk` before importing this module.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Final

import anyio
import httpx2
from anyio.abc import Process
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from ctxtui.audit.weigh.types import Launch
from ctxtui.core.base.errors import Category
from ctxtui.core.base.wording import plural
from ctxtui.retrieval.client.errors import failure, refused_over_http
from ctxtui.retrieval.client.http import over_http
from ctxtui.retrieval.client.target import McpTarget
from ctxtui.retrieval.contract import RetrievalError

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams

MAX_BYTES: Final = 16 * 1024 * 1024
"""The maximum number of bytes that a server may send."""

_MOST_GARBAGE: Final = 1_000
# Seconds for a server to end after its input closes, and again after a request to end.
_END_SECONDS: Final = 2.0
_KILL_SECONDS: Final = 0.5
_PIECE: Final = 64 * 1024


@dataclass(slots=True)
class Meter:
    """Limits and records the output of one server.

    `left` are the bytes that the server may still send, `refused` is its last HTTP refusal. `verdict` is the error
    for leaving the server, kept because the client may catch that error and report a vaguer one.
    """

    left: int = MAX_BYTES
    garbage: int = 0
    refused: Category | None = None
    verdict: RetrievalError | None = None

    def take(self, count: int) -> None:
        """Count bytes. Raises RetrievalError beyond the limit."""
        self.left -= count
        if self.left < 0:
            raise self.leave(f"it sent more than {MAX_BYTES // 1_048_576} MB")

    def leave(self, why: str) -> RetrievalError:
        """The error for leaving a server, recorded as its verdict."""
        self.verdict = failure("unavailable", why)
        return self.verdict

    def skip(self) -> None:
        """Count a line that is not a message. Raises RetrievalError beyond the limit."""
        self.garbage += 1
        if self.garbage > _MOST_GARBAGE:
            raise self.leave(f"it printed {plural(_MOST_GARBAGE, 'line')} that are not messages")


def connected(launch: Launch, target: McpTarget, meter: Meter) -> AbstractAsyncContextManager[TransportStreams]:
    """The streams of a server, which is started or, if it has a URL, connected to. Its stderr is dropped."""
    if target.url is None:
        return _over_stdio(launch, target, meter)
    return _over_http(target.url, target, meter, is_sse=launch.transport == "sse")


@asynccontextmanager
async def _over_http(url: str, target: McpTarget, meter: Meter, is_sse: bool) -> AsyncIterator[TransportStreams]:
    async def watch(response: httpx2.Response) -> None:
        if response.request.method == "POST" or is_sse:
            meter.refused = refused_over_http(response.status_code, response.headers.get("content-type", ""))
        if response.headers.get("content-encoding", "identity") != "identity":
            raise meter.leave("it compressed its answer, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Metered(response.stream, meter)

    headers = {**target.headers, "Accept-Encoding": "identity"}
    if target.token:
        headers["Authorization"] = f"Bearer {target.token}"
    async with over_http(url, headers, target.is_local, watch, is_sse) as streams:
        yield streams


class _Metered(httpx2.AsyncByteStream):
    """The body of a response, counted as it arrives."""

    def __init__(self, body: httpx2.AsyncByteStream, meter: Meter) -> None:
        self._body, self._meter = body, meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self._meter.take(len(piece))
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


@asynccontextmanager
async def _over_stdio(launch: Launch, target: McpTarget, meter: Meter) -> AsyncIterator[TransportStreams]:
    if os.name == "nt":
        # The SDK itself ends all processes of the server here, without a limit on output.
        command, *words = target.command
        parameters = StdioServerParameters(command=command, args=words, env=dict(target.env), cwd=target.cwd)
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - no file
            async with stdio_client(parameters, errlog=nowhere) as streams:
                yield streams
        return
    process = await _started(launch, target)
    received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage](0)
    grace = 0.0
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_receive, process, received, meter)
            group.start_soon(_write_or_close, process, sent, received)
            yield incoming, outgoing
            # A server that was left in good order may end in good order.
            grace = _END_SECONDS
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process, grace)
        for stream in (received, incoming, outgoing, sent):
            stream.close()


async def _started(launch: Launch, target: McpTarget) -> Process:
    """Start a server in its own process group, with few environment variables.

    Errors show the command as written, without environment values.
    """
    env = get_default_environment() | dict(target.env)
    try:
        return await anyio.open_process(
            list(target.command), env=env, stderr=DEVNULL, cwd=target.cwd, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its command cannot be run"
        raise failure("unavailable", f"{launch.command[0]}: {reason}") from error


async def _receive(
    process: Process, messages: MemoryObjectSendStream[SessionMessage | Exception], meter: Meter
) -> None:
    """Pass on the output of a server line by line. Raises RetrievalError when the server closes it."""
    assert process.stdout
    rest = bytearray()
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with messages:
            while True:
                try:
                    piece = await process.stdout.receive(_PIECE)
                except anyio.EndOfStream:
                    raise failure("unavailable", await _ending(process)) from None
                meter.take(len(piece))
                *lines, last = piece.split(b"\n")
                for line in lines:
                    rest += line
                    await _pass_on(bytes(rest), messages, meter)
                    rest.clear()
                rest += last


async def _ending(process: Process) -> str:
    """The end of a server that closed its output too early, in words."""
    with anyio.move_on_after(_END_SECONDS):
        while process.returncode is None:
            await anyio.sleep(0.01)
    status = process.returncode
    return "it closed its output" if status is None else f"it ended with status {status}"


async def _pass_on(line: bytes, messages: MemoryObjectSendStream[SessionMessage | Exception], meter: Meter) -> None:
    """Send a message on. Any other line counts as garbage."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        meter.skip()
        return
    await messages.send(SessionMessage(message))


async def _write_or_close(
    process: Process,
    messages: MemoryObjectReceiveStream[SessionMessage],
    received: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    """Write messages to a server. If it takes no more, close `received`."""
    assert process.stdin
    try:
        async for each in messages:
            data = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(f"{data}\n".encode())
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        # Closing ends the connection, including requests that wait for an answer.
        received.close()


async def _end(process: Process, grace: float) -> None:
    """End a server and all its processes, once it had `grace` seconds to end by itself."""
    if process.stdin:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    with anyio.move_on_after(grace):
        while process.returncode is None:
            await anyio.sleep(0.01)
    await terminate_posix_process_tree(process, _KILL_SECONDS)
    with anyio.move_on_after(_END_SECONDS):
        await process.wait()
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.aclose()
