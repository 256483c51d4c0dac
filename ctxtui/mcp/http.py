"""Streamable HTTP on this machine only, guarded by host names and an optional token."""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

import h11
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from ctxtui.core.base.loopback import HOST

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Callable[[], Awaitable[MutableMapping[str, Any]]], Send], Awaitable[None]]
CONNECTIONS: Final = 100
_REQUESTS: Final = 2 * CONNECTIONS
_HEAD_SECONDS: Final = 5.0
_BODY_SECONDS: Final = 30.0

PATH: Final = "/mcp"
_NAMES: Final = (HOST, "localhost")
_GRACE_SECONDS: Final = 1


class PatientProtocol(H11Protocol):
    """Closes a connection if its request line and headers, or its body, take too long to arrive.

    uvicorn has no such limit. With too many connections open, a new connection replaces the longest idle connection,
    so that half-open connections never keep others out.
    """

    _waits_for: object = None
    _since: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for(h11.IDLE)
        others = [each for each in self.connections if isinstance(each, PatientProtocol) and each is not self]
        idle = [each for each in others if each._is_idle]
        if len(others) >= CONNECTIONS and idle:
            min(idle, key=lambda each: each._since).transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for(self.conn.their_state)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_for(None)
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        """Whether the server waits for the caller, rather than the caller for an answer."""
        return self._waits_for is not None or (self.cycle is not None and self.cycle.response_complete)

    def _wait_for(self, state: object) -> None:
        """Start the timer of a parser's state unless it runs already. A state without a limit stops the timer."""
        seconds = {h11.IDLE: _HEAD_SECONDS, h11.SEND_BODY: _BODY_SECONDS}.get(state)  # type: ignore[call-overload]
        wanted = state if seconds is not None else None
        if wanted is self._waits_for:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._waits_for, self._since = wanted, self.loop.time()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


async def serve_http(server: Server[Any], opened: socket.socket, token: str | None, stop: asyncio.Event) -> None:
    """Serve on an open socket until `stop` is set, with a token only to callers that send it."""
    port = opened.getsockname()[1]
    # Only this machine's own host names are allowed, against DNS rebinding by pages of other sites.
    hosts = [f"{name}:{port}" for name in _NAMES]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    app = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=security
    )
    config = uvicorn.Config(
        app if token is None else _guarded(app, token),
        http=PatientProtocol,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        limit_concurrency=_REQUESTS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    listener = uvicorn.Server(config)
    stopping = asyncio.create_task(_exit_after(listener, stop))
    try:
        # uvicorn captures signals while it serves, and raises them again after it has closed everything.
        await listener.serve([opened])
    finally:
        stopping.cancel()


async def _exit_after(listener: uvicorn.Server, stop: asyncio.Event) -> None:
    await stop.wait()
    listener.should_exit = True


def _guarded(app: App, token: str) -> App:
    """The app for callers with the token, else 401."""
    expected = f"Bearer {token}".encode()
    headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain"), (b"content-length", b"0")]

    async def guard(scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http" or _has_token(scope, expected):
            await app(scope, receive, send)
        else:
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body"})

    return guard


def _has_token(scope: Scope, expected: bytes) -> bool:
    sent = [value for name, value in scope["headers"] if name == b"authorization"]
    return len(sent) == 1 and hmac.compare_digest(sent[0], expected)
