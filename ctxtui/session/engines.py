"""Retrieval engines: which MCP server is meant, by the user's own configuration or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxtui.core.data.schema import Place
from ctxtui.core.errors import ContextError
from ctxtui.retrieval.client.target import McpTarget, target_of, targets_from


def engine_target(named: str | None, configured: Mapping[str, Any], place: Place | None = None) -> McpTarget:
    """The server that a name, an address or a command means; without one, the only one configured, at `place`.

    Raises ContextError (invalid_request) where none or several may be meant, and for a damaged `[mcp]`.
    """
    targets = targets_from(configured, place)
    if named is not None:
        return targets[named] if named in targets else target_of(named)
    if len(targets) == 1:
        return next(iter(targets.values()))
    if not targets:
        hint = "name one with --server, or write `[mcp.NAME]` with `command` or `url` in your own config.toml"
        raise ContextError("invalid_request", "no MCP server is configured", hint=hint)
    raise ContextError("invalid_request", f"several MCP servers: {', '.join(targets)}", hint="name one with --server")
