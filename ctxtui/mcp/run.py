"""The options of a server, and its run from start to exit status."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.loopback import HOST, listening
from ctxtui.core.base.notices import OnNotice, log_notice
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.text.secrets import Secrets
from ctxtui.mcp.project import Project
from ctxtui.retrieval.client.errors import require_sdk
from ctxtui.workspace.scope import EVERYTHING, Scope

_WATCHED: Final = (signal.SIGINT, signal.SIGTERM)
_GRACE_SECONDS: Final = 3.0
INTERRUPTED: Final = 130


@dataclass(slots=True)
class Stopping:
    """Set by a signal. `status` is the exit status: 130 after ^C, 0 after an orderly request."""

    event: asyncio.Event = field(default_factory=asyncio.Event)
    status: int = 0


@contextmanager
def watched() -> Iterator[Stopping]:
    """Yield a Stopping that SIGINT and SIGTERM set. Outside the main thread, no signal sets it."""
    stopping = Stopping()
    if threading.current_thread() is not threading.main_thread():
        yield stopping
        return
    loop = asyncio.get_running_loop()

    def receive(number: int, _frame: FrameType | None) -> None:
        stopping.status = INTERRUPTED if number == signal.SIGINT else 0
        loop.call_soon_threadsafe(stopping.event.set)
        _exit_later(stopping.status)

    before = {number: signal.signal(number, receive) for number in _WATCHED}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit_later(status: int) -> None:
    """End the process after some seconds, even if a peer that does not read, or a call in a thread, blocks it."""
    timer = threading.Timer(_GRACE_SECONDS, os._exit, (status,))
    timer.daemon = True
    timer.start()


@dataclass(frozen=True, slots=True)
class Options:
    """The transport of a server: stdio, or with `port` HTTP on this machine, 0 for any free port.

    If `token` is set, HTTP callers must send it. Secrets are replaced. If `secrets` is `fail`, a payload with secrets
    is refused. `say` receives lines for people, `on_notice` problems of the project.
    """

    port: int | None = None
    token: str | None = field(default=None, repr=False)
    allow_store: bool = False
    scope: Scope = EVERYTHING
    secrets: Secrets = "redact"
    say: Callable[[str], None] = lambda _line: None
    on_notice: OnNotice = log_notice


def serve(path: Path, options: Options) -> int:
    """Serve a folder until stdin ends or a signal arrives. The exit status is 0, after ^C 130.

    Raises ContextError: invalid_request if `path` is not a folder or the token is blank, unavailable without the SDK
    and if the port is taken.
    """
    if not is_folder(path):
        raise invalid(f"{path} is not a folder", hint="name the folder of a project")
    if options.token is not None and not options.token.strip():
        raise invalid("the token is blank", hint="write at least 16 random characters")
    require_sdk()
    project = Project(path, options.on_notice, options.scope, options.secrets)
    try:
        return asyncio.run(_serve(project, options))
    finally:
        project.close()


async def _serve(project: Project, options: Options) -> int:
    from ctxtui.mcp.server import make_server  # noqa: PLC0415 - needs the SDK, which is an extra

    server = make_server(project, options.allow_store)
    place = project.root.path
    with watched() as stopping:
        if options.port is None:
            from ctxtui.mcp.stdio import serve_stdio  # noqa: PLC0415 - as above

            options.say(f"serving {place} over stdio")
            await serve_stdio(server, stopping.event)
        else:
            from ctxtui.mcp.http import PATH, serve_http  # noqa: PLC0415 - as above

            with listening(options.port) as opened:
                options.say(f"serving {place} at http://{HOST}:{opened.getsockname()[1]}{PATH}")
                if options.token is None:
                    options.say("without a token every program on this machine can use it; see --token-file")
                await serve_http(server, opened, options.token, stopping.event)
        return stopping.status
