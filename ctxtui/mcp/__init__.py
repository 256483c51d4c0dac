"""The MCP server: the project's context for agents, over stdio or HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.mcp.serving import Options, serve

__all__ = ["Options", "serve"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.serving"), name)
