"""Ask servers for their tools with the official client, limited in time, size and pages."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ctxtui.audit.weigh.expand import environment_names, expanded
from ctxtui.audit.weigh.types import Definition, Launch, Outcome, ServerListing, definition_json
from ctxtui.core.base.cancel import Check, Stopped, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.core.text.secrets import find_secrets
from ctxtui.retrieval.client.errors import connection_failure, failure, require_sdk
from ctxtui.retrieval.client.target import McpTarget

if TYPE_CHECKING:
    from mcp import Client

SECONDS: Final = 60.0
"""The time limit for one server, including an installation by its command."""

MAX_TOOLS: Final = 5_000
_MAX_PAGES: Final = 200
_AT_ONCE: Final = 4
_POLL_SECONDS: Final = 0.05
# Shorter values, such as `true` or `debug`, are common words.
_SECRET_LENGTH: Final = 8
_SHORTEST: Final = 4


def list_servers(launches: Sequence[Launch], seconds: float = SECONDS, check: Check = go_on) -> list[Outcome]:
    """List each server, or say why it failed, in the given order. Servers run in parallel and have ended on return.

    Each has `seconds`. Runs its own event loop. If `check` raises Stopped, all servers end and Stopped is raised.
    Raises ContextError (unavailable) without the MCP SDK.
    """
    require_sdk()
    import anyio  # noqa: PLC0415 - comes with the SDK

    outcomes: list[Outcome | None] = [None] * len(launches)

    async def run() -> None:
        room = anyio.CapacityLimiter(_AT_ONCE)

        async def one(place: int) -> None:
            async with room:
                outcomes[place] = await _ask_server(launches[place], seconds)

        async def watch() -> None:
            try:
                while None in outcomes:
                    check()
                    await anyio.sleep(_POLL_SECONDS)
            except Stopped:
                group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for place in range(len(launches)):
                group.start_soon(one, place)
            group.start_soon(watch)

    anyio.run(run)
    check()
    return [each for each in outcomes if each is not None]


async def _ask_server(launch: Launch, seconds: float) -> Outcome:
    import anyio  # noqa: PLC0415 - as above

    from ctxtui.audit.weigh.transports import Meter  # noqa: PLC0415 - needs the SDK

    meter = Meter()
    try:
        filled = expanded(launch, os.environ, Path.home())
        target = _target(filled, launch)
        with anyio.fail_after(seconds):
            return await _ask_for_listing(launch, filled, target, meter)
    except ContextError as error:
        return _without_values(error, launch)
    except TimeoutError:
        return failure("timeout", f"no complete answer within {seconds:g} s")
    except Exception as error:  # noqa: BLE001 - a server can break the client in any way
        return _without_values(meter.verdict or connection_failure(error, meter.refused), launch)


def _without_values(error: ContextError, launch: Launch) -> ContextError:
    """The error itself, with the user's environment values replaced by their names."""
    for name in environment_names(launch):
        value = os.environ.get(name, "")
        if len(value) >= _SHORTEST:
            error.message = error.message.replace(value, f"${{{name}}}")
    return error


def _target(filled: Launch, launch: Launch) -> McpTarget:
    """The connection of an expanded launch. Raises ContextError without its token or its folder."""
    token = os.environ.get(launch.token_env) if launch.token_env else None
    if launch.token_env and not token:
        raise ContextError("unauthorized", f"the variable {launch.token_env} is empty or not set")
    if not filled.url:
        if not Path(filled.folder).is_dir():
            raise ContextError("unavailable", f"its folder {launch.folder} does not exist")
        return McpTarget(command=filled.command, env=filled.env, cwd=filled.folder)
    return McpTarget(url=filled.url, headers=filled.headers, token=token)


async def _ask_for_listing(launch: Launch, filled: Launch, target: McpTarget, meter: Any) -> ServerListing:
    from mcp import Client  # noqa: PLC0415 - takes a second or two

    from ctxtui.audit.weigh.transports import connected  # noqa: PLC0415 - as above

    # A probe for newer protocols would wait ten seconds for a silent command.
    mode = "auto" if target.url else "legacy"
    async with Client(connected(launch, target, meter), mode=mode, cache=None) as client:
        can = client.server_capabilities
        tools = await _pages(client.list_tools, "tools") if can.tools else []
        prompts = await _count(client.list_prompts, "prompts") if can.prompts else 0
        resources = await _count(client.list_resources, "resources") if can.resources else 0
        given = {**filled.env, **filled.headers} | ({filled.token_env: target.token} if target.token else {})
        # The server received them and should not repeat them.
        values = {value: name for name, value in given.items() if len(value) >= _SECRET_LENGTH}
        return _listing(client, tools, prompts, resources, values)


def _listing(
    client: Client, tools: Sequence[Any], prompts: int | None, resources: int | None, values: Mapping[str, str]
) -> ServerListing:
    """The listing of now. `values` are the names of values that it should not repeat."""
    found = [
        Definition(tool.name, tool.description or "", tool.input_schema, dict(tool.meta or {})) for tool in tools
    ]
    info = client.server_info
    instructions = client.instructions or ""
    whole = "\n".join([instructions, *map(definition_json, found), *(json.dumps(each.meta) for each in found)])
    escaped = {json.dumps(value, ensure_ascii=False)[1:-1]: name for value, name in values.items()}
    repeated = {name for value, name in {**values, **escaped}.items() if value in whole}
    if find_secrets(whole):
        repeated.add("a secret")
    return ServerListing(
        datetime.now(UTC).replace(microsecond=0),
        tuple(found),
        instructions,
        (info.name if info else "")[:200],
        (info.version if info else "")[:200],
        client.protocol_version,
        prompts,
        resources,
        tuple(sorted(repeated)),
    )


async def _pages(ask: Callable[..., Awaitable[Any]], what: str) -> list[Any]:
    """All entries of a paged list. Raises ContextError for too many entries or pages, or for a repeated page."""
    found: list[Any] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_MAX_PAGES):
        page = await ask(cursor=cursor)
        found += getattr(page, what)
        cursor = page.next_cursor
        if len(found) > MAX_TOOLS:
            raise failure("unavailable", f"it lists more than {plural(MAX_TOOLS, 'tool')}")
        if cursor is None:
            return found
        if cursor in seen:
            raise failure("unavailable", f"its list of {what} never ends: it gives the same page again")
        seen.add(cursor)
    raise failure("unavailable", f"its list of {what} has more than {_MAX_PAGES} pages")


async def _count(ask: Callable[..., Awaitable[Any]], what: str) -> int | None:
    """The number of entries in a paged list, such as prompts, or None if the server fails to list them."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - as above

    try:
        return len(await _pages(ask, what))
    except (ContextError, MCPError, ValueError):
        return None
