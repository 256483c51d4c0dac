"""Serving over streamable HTTP on this machine only, guarded by host names and an optional token."""

from __future__ import annotations

import asyncio
import hmac
import socket
from typing import Any, Final

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from ctxtui.core.loopback import HOST
from ctxtui.mcp.patience import REQUESTS, App, PatientProtocol, Scope, Send, at_most

PATH: Final = "/mcp"
_NAMES: Final = (HOST, "localhost")
_GRACE_SECONDS: Final = 1


async def serve_http(server: Server[Any], opened: socket.socket, token: str | None, stop: asyncio.Event) -> None:
    """Serve on an open socket until `stop` is set."""
    port = opened.getsockname()[1]
    app = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=_names(port)
    )
    config = uvicorn.Config(
        at_most(guarded(app, token) if token else app, REQUESTS),
        http=PatientProtocol,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    listener = uvicorn.Server(config)
    stopping = asyncio.create_task(_end(listener, stop))
    try:
        # uvicorn captures signals while it serves, and raises them again after it has closed everything.
        await listener.serve([opened])
    finally:
        stopping.cancel()


async def _end(listener: uvicorn.Server, stop: asyncio.Event) -> None:
    await stop.wait()
    listener.should_exit = True


def _names(port: int) -> TransportSecuritySettings:
    """Allows only this machine's own host names, against DNS rebinding by pages of other sites."""
    hosts = [f"{name}:{port}" for name in _NAMES]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])


def guarded(app: App, token: str) -> App:
    """The app for callers with the token; all others get 401."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http" or _brings(scope, expected):
            await app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body"})

    return guard


def _brings(scope: Scope, expected: bytes) -> bool:
    sent = [value for name, value in scope["headers"] if name == b"authorization"]
    return len(sent) == 1 and hmac.compare_digest(sent[0], expected)
