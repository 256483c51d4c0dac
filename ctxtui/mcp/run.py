"""Serving a project: the options, and the run from start to exit status."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ctxtui.core.errors import ContextError
from ctxtui.core.files.open_at import is_folder
from ctxtui.core.notices import OnNotice, log_notice
from ctxtui.core.secrets import Secrets
from ctxtui.mcp.exit_signals import watched
from ctxtui.mcp.project import Project
from ctxtui.retrieval.client.sdk import require_sdk
from ctxtui.workspace.scope import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Options:
    """How to serve: over stdio, or with `port` over HTTP on this machine, 0 for any free one.

    If `token` is set, HTTP callers must send it. Secrets are replaced; if `secrets` is `fail`, a payload that has any
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
    """Serve a folder until stdin ends or a signal arrives; the exit status is 0, after ^C 130.

    Raises ContextError: invalid_request if `path` is not a folder or the token is blank, unavailable without the
    SDK and if the port is taken.
    """
    if not is_folder(path):
        raise ContextError("invalid_request", f"{path} is not a folder", hint="name the folder of a project")
    if options.token is not None and not options.token.strip():
        raise ContextError("invalid_request", "the token is blank", hint="write at least 16 random characters")
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
            from ctxtui.core.loopback import HOST, listening  # noqa: PLC0415 - as above
            from ctxtui.mcp.http import PATH, serve_http  # noqa: PLC0415 - as above

            with listening(options.port) as opened:
                options.say(f"serving {place} at http://{HOST}:{opened.getsockname()[1]}{PATH}")
                if options.token is None:
                    options.say("without a token every program on this machine can use it; see --token-file")
                await serve_http(server, opened, options.token, stopping.event)
        return stopping.status
