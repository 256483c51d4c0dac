"""The MCP SDK is an extra: who needs it asks here first."""

from __future__ import annotations

import logging

from ctxtui.core.errors import ContextError


def require_sdk() -> None:
    """Import the SDK, which takes a second or two; raises ContextError (unavailable) saying how to install it."""
    try:
        # Only those who serve or ask over MCP wait for it.
        from mcp import Client  # noqa: F401, PLC0415
    except ImportError as error:
        hint = "pip install 'ctxtui[mcp]'"
        raise ContextError("unavailable", "the MCP SDK is not installed, or too old", hint=hint) from error
    log = logging.getLogger("mcp")
    if not log.handlers:
        # Where nobody asked for its log, the SDK's tracebacks do not end up on the screen.
        log.addHandler(logging.NullHandler())
