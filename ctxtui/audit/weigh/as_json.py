"""MCP servers as JSON data: what they cost whom, and nothing secret about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ctxtui.audit.weigh.consent import shown_command, shown_url
from ctxtui.audit.weigh.types import Weighed, Weighing
from ctxtui.core.projection import Shapes, project
from ctxtui.core.tokens.counter import TokenCounter

_SHAPES: Final[Shapes] = {
    "ToolSize": "name tokens",
    "Price": "agent start loaded always defers note? src? checked?",
}


def servers_json(mcp: Weighing, counter: TokenCounter) -> list[dict[str, Any]]:
    """Every server; numbers are null unless it was weighed. `label` and `band` say how far to trust the tokens.

    Prices are estimates also if definitions are counted exactly, because the form that agents send is unknown; they
    have the band of the definitions.
    """
    band = {} if counter.exact else {"band": counter.band}
    return [_server(each, {"label": counter.label, **band}, {"label": "estimated", **band}) for each in mcp.servers]


def _server(weighed: Weighed, known: Mapping[str, str], priced: Mapping[str, str]) -> dict[str, Any]:
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
        "instructions": {"tokens": weighed.instructions, **known} if listing else None,
        "tools": [{**project(tool, _SHAPES), **known} for tool in weighed.tools] if listing else None,
        "prompts": listing.prompts if listing else None,
        "resources": listing.resources if listing else None,
        "prices": [{**project(each, _SHAPES), **priced} for each in weighed.prices],
    }
