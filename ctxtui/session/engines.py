"""Retrieval engines: finds an MCP server in the user's own configuration or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxtui.core.errors import ContextError
from ctxtui.retrieval.client.target import McpTarget, target_of, targets_from


def engine_target(named: str | None, configured: Mapping[str, Any]) -> McpTarget:
    """The server given by a name, a URL or a command; by default the only one configured.

    Raises ContextError (invalid_request) if there are none or several to choose from, and for a damaged `[mcp]`.
    """
    targets = targets_from(configured)
    if named is not None:
        return targets[named] if named in targets else target_of(named)
    if len(targets) == 1:
        return next(iter(targets.values()))
    if not targets:
        hint = "name one with --server, or write `[mcp.NAME]` with `command` or `url` in your own config.toml"
        raise ContextError("invalid_request", "no MCP server is configured", hint=hint)
    raise ContextError("invalid_request", f"several MCP servers: {', '.join(targets)}", hint="name one with --server")
