"""The MCP server: the table of tools and the resources, on the SDK's low-level server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from mcp import MCPError
from mcp import types as wire
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from ctxtui.agents import Charge, Start
from ctxtui.agents.costs import Part
from ctxtui.agents.types import Fixed
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import near
from ctxtui.core.text.data import schema
from ctxtui.core.text.projection import Shapes, project
from ctxtui.core.tokens.whole import Whole
from ctxtui.mcp.catalog_tools import CATALOG
from ctxtui.mcp.entry_tools import QUERY, STORE
from ctxtui.mcp.payload_tools import PAYLOADS
from ctxtui.mcp.project import Project
from ctxtui.mcp.resources import TEMPLATES, list_resources, read_resource
from ctxtui.mcp.results import ToolAnswer, refusal, success
from ctxtui.mcp.tool import TEXT, Arguments, Call, Tool, in_thread
from ctxtui.retrieval.as_json import request_from_json, snippet_json
from ctxtui.retrieval.contract import MAX_LIMIT, expanded
from ctxtui.session.agent_start import agent_starts, longer_starts, whole_starts
from ctxtui.session.budget import Budget
from ctxtui.version import __version__
from ctxtui.workspace.resolve import resolve_folder

_SHAPES: Final[Shapes] = {
    Start: "id=agent name start_tokens=tokens lost_tokens repeated_tokens after_compaction=after subagents versions"
    " uncounted fixed files=entries",
    Part: "what names",
    Fixed: "what tokens of? version? by day src? captured=is_captured",
    Whole: "tokens label basis_tokens",
    Charge: "path moment reason start_tokens lost_tokens",
}

# Fields of the contract that mean nothing for one project, so an agent need not invent them.
_USUAL: Final[dict[str, object]] = {"spaceId": "project", "sessionId": "agent", "rootPath": ".", "providerId": "mcp"}
# A first search of a large project uses the index so far, and says so (retrieval specification 4.2).
_PATIENCE_SECONDS: Final = 1.0


def _starts(call: Call) -> object:
    """The starts, highest first, with the keys of `ctxtui audit --json`. Estimated starts have no `whole`."""
    workspace = call.project.workspace()
    cwd = resolve_folder(workspace, call.arguments.optional_text("cwd") or ".", workspace.root)
    budget = Budget().with_budget(model=call.arguments.optional_text("model"))
    counter = budget.counter
    starts = agent_starts(workspace, counter, budget.window, cwd)
    known = whole_starts(starts, workspace.text, counter, workspace.reader.ledger, call.check)
    return {
        "cwd": cwd or ".",
        **counter.described(),
        "agents": [_start_json(each) for each in known],
        "longest": list(longer_starts(workspace, cwd)),
    }


def _start_json(start: Start) -> dict[str, Any]:
    data: dict[str, Any] = project(start, _SHAPES)
    return data | {"whole": project(start.whole, _SHAPES)} if start.whole else data


STARTS: Final = Tool(
    "get_agent_starts",
    "What each coding agent has in context at its start in a folder, in tokens, file by file.",
    in_thread(_starts),
    {"cwd": {**TEXT, "description": "a folder of the project; default its root"}, "model": TEXT},
)


def _retrieve(call: Call) -> object:
    """The best snippets, best first. A relative `rootPath` is relative to the served folder."""
    request = request_from_json({**_USUAL, **call.arguments.values})
    request = replace(request, root_path=str(call.project.root.path / expanded(request.root_path)))
    engine = call.project.engine(request.provider_id)
    found = engine.search(request, is_cancelled=call.left.is_set, patience=_PATIENCE_SECONDS)
    call.tell(*found.notices)
    return [snippet_json(snippet) for snippet in found.snippets]


RETRIEVAL = (
    Tool(
        "retrieve_context",
        "Search the project's text files for a prompt: ranked ContextSnippet[] (contract v1).",
        in_thread(_retrieve),
        {
            "prompt": TEXT,
            "spaceId": TEXT,
            "sessionId": TEXT,
            "rootPath": {"type": "string", "description": "folder to search; . is the project"},
            "providerId": {"enum": ["mcp", "filesystem"]},
            "limit": {"type": "integer", "minimum": 1, "description": f"default 5, at most {MAX_LIMIT}"},
        },
        ("prompt",),
    ),
)


TOOLS: Final = (*RETRIEVAL, *CATALOG, *PAYLOADS, STARTS, QUERY)
_PAGE: Final = 200
_INSTRUCTIONS: Final = (
    "Context files of one project. Results are {result, notices}; an error's text begins with its category."
)
# Cache times of lists: tools change with the catalogs, resources with the files.
_FRESH: Final[Mapping[CacheableMethod, CacheHint]] = {
    "tools/list": CacheHint(60_000),
    "resources/list": CacheHint(5_000),
    "resources/templates/list": CacheHint(3_600_000, "public"),
}
Result = TypeVar("Result")
_Context = ServerRequestContext[Any, Any]


def make_server(project: Project, allow_store: bool = False) -> Server[Any]:
    """A server of all tools and resources of a project. Only with `allow_store` it has a tool that writes."""
    tools = {tool.name: tool for tool in (*TOOLS, *((STORE,) if allow_store else ()))}

    async def list_tools(_: _Context, __: wire.PaginatedRequestParams | None) -> wire.ListToolsResult:
        catalogs = await _safely(project.catalogs.refreshed_names)
        return wire.ListToolsResult(tools=[listed_tool(tool, catalogs) for tool in tools.values()])

    async def call_tool(_: _Context, params: wire.CallToolRequestParams) -> wire.CallToolResult:
        found = await answer(project, tools, params.name, params.arguments or {})
        text = wire.TextContent(type="text", text=found.text)
        return wire.CallToolResult(content=[text], structured_content=found.data, is_error=found.is_error)

    async def list_resource_page(_: _Context, params: wire.PaginatedRequestParams | None) -> wire.ListResourcesResult:
        start = _page_start(params.cursor if params else None)
        rows = await _safely(lambda: list_resources(project))
        after = str(start + _PAGE) if start + _PAGE < len(rows) else None
        return wire.ListResourcesResult(resources=rows[start : start + _PAGE], next_cursor=after)

    async def list_templates(_: _Context, __: wire.PaginatedRequestParams | None) -> wire.ListResourceTemplatesResult:
        return wire.ListResourceTemplatesResult(
            resource_templates=[
                wire.ResourceTemplate(uri_template=uri, name=name, description=text) for uri, name, text in TEMPLATES
            ]
        )

    async def read(_: _Context, params: wire.ReadResourceRequestParams) -> wire.ReadResourceResult:
        text, mime = await _safely(lambda: read_resource(project, params.uri))
        contents = wire.TextResourceContents(uri=params.uri, mime_type=mime, text=text)
        return wire.ReadResourceResult(contents=[contents])

    return Server(
        "ctxtui",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resource_page,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        cache_hints=_FRESH,
    )


async def answer(project: Project, tools: Mapping[str, Tool], name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
    """The answer of a tool, even after a bug. Unexpected errors are `internal`, with their text only in the log."""
    tool = tools.get(name)
    if tool is None:
        return refusal(ContextError("unavailable", f"unknown tool {name}", hint=near(name, list(tools))))
    call = Call(project, Arguments(arguments))
    try:
        # Only the retrieval contract allows unknown arguments (retrieval specification 6).
        if tool not in RETRIEVAL:
            known = [*tool.parameters, *(["catalog"] if tool.of_catalog else [])]
            schema.mapping(call.arguments.place, arguments, known)
        result = await tool.run(call)
        return await asyncio.to_thread(success, result, call.notices)
    except Exception as error:  # noqa: BLE001 - logged below
        return _refused(error, f"the tool {name} failed")


async def _safely(function: Callable[[], Result]) -> Result:
    """The result of a function that reads files, run in a thread. All errors become MCPError with a category."""
    try:
        return await asyncio.to_thread(function)
    except Exception as error:  # noqa: BLE001 - logged below
        told = _refused(error, "a resource failed")
    category = told.data["error"]["category"]
    code = wire.INVALID_PARAMS if category == "invalid_request" else wire.INTERNAL_ERROR
    raise MCPError(code, told.text, told.data["error"])


def _refused(error: Exception, what: str) -> ToolAnswer:
    """The refusal for an error. A bug is `internal`, and only the log has its text, after `what` failed."""
    if isinstance(error, ContextError):
        return refusal(error)
    logging.getLogger("ctxtui").error(what, exc_info=error)
    return refusal(ContextError("internal", "internal error; see the server log"))


def listed_tool(tool: Tool, catalogs: list[str]) -> wire.Tool:
    """A tool as callers see it, with the parameter `catalog` if needed. Every word costs them tokens."""
    parameters = dict(tool.parameters)
    required = list(tool.required)
    if tool.of_catalog and len(catalogs) > 1:
        parameters["catalog"] = {"enum": catalogs}
        required.append("catalog")
    schema: dict[str, Any] = {"type": "object", "properties": parameters}
    if required:
        schema["required"] = required
    hints = wire.ToolAnnotations(
        read_only_hint=not tool.writes,
        destructive_hint=True if tool.writes else None,
        idempotent_hint=None if tool.writes else True,
        open_world_hint=False,
    )
    return wire.Tool(name=tool.name, description=tool.description, input_schema=schema, annotations=hints)


def _page_start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(wire.INVALID_PARAMS, "unknown cursor")
    return int(cursor)
