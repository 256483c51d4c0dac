"""The optional MCP SDK: its users call this first."""

from __future__ import annotations

import logging

from ctxtui.core.base.errors import ContextError


def require_sdk() -> None:
    """Import the SDK, which takes a second or two. Raises ContextError (unavailable) with an installation hint."""
    try:
        # Imported here, so that only users of MCP wait for it.
        from mcp import Client  # noqa: F401, PLC0415
    except ImportError as error:
        hint = "install ctxtui[mcp] the way you installed ctxtui"
        raise ContextError("unavailable", "the MCP SDK is not installed, or too old", hint=hint) from error
    log = logging.getLogger("mcp")
    if not log.handlers:
        # Unless its log is configured, the SDK's tracebacks would reach the screen.
        log.addHandler(logging.NullHandler())
