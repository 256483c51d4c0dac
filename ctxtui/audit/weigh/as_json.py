"""MCP servers as JSON data: what they cost whom, and nothing secret about them."""

from __future__ import annotations

from typing import Any, Final

from ctxtui.audit.weigh.consent import shown_command, shown_url
from ctxtui.audit.weigh.types import Price, ToolSize, Weighed, Weighing
from ctxtui.core.projection import Shapes, project
from ctxtui.core.tokens.counter import TokenCounter

_SHAPES: Final[Shapes] = {
    ToolSize: "name tokens",
    Price: "agent start loaded always defers note? src? checked?",
}


def servers_json(mcp: Weighing, counter: TokenCounter) -> list[dict[str, Any]]:
    """Every server; numbers are null unless it was weighed. `label` says how far to trust the tokens."""
    return [_server(each, "exact" if counter.exact else "estimated") for each in mcp.servers]


def _server(weighed: Weighed, label: str) -> dict[str, Any]:
    server, listing = weighed.server, weighed.listing
    launch = server.launch
    return {
        "name": server.name,
        "path": server.path,
        "line": server.line,
        "owner": server.owner,
        "agents": list(server.agents),
        "command": shown_command(launch) or None,
        "url": shown_url(launch) or None,
        "variables": list(launch.variables),
        "headers": sorted(launch.headers),
        "digest": server.digest,
        "state": weighed.state,
        "why": weighed.why or None,
        "weighed": project(listing.at) if listing else None,
        "version": f"{listing.name} {listing.version}".strip() if listing else None,
        "instructions": {"tokens": weighed.instructions, "label": label} if listing else None,
        "tools": [{**project(tool, _SHAPES), "label": label} for tool in weighed.tools] if listing else None,
        "prompts": listing.prompts if listing else None,
        "resources": listing.resources if listing else None,
        "prices": [{**project(each, _SHAPES), "label": "estimated"} for each in weighed.prices],
    }
