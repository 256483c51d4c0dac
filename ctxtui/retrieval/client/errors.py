"""Failures of an engine, or a missing SDK, as one of the five categories of retrieval specification 3.3."""

from __future__ import annotations

import logging
from typing import get_args

from ctxtui.core.base.errors import Category, ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.text.secrets import redact
from ctxtui.retrieval.contract import RetrievalError

_MESSAGE = 300
_NAMED: dict[object, Category] = {each: each for each in get_args(Category)}
# JSON-RPC's codes and the SDK's own for a timeout (-32001) and a lost connection (-32000).
_CODES: dict[int, Category] = {
    **dict.fromkeys((-32600, -32602), "invalid_request"),
    **dict.fromkeys((-32601, -32000), "unavailable"),
    -32001: "timeout",
}
# The SDK maps all HTTP errors to one code, so the status has to distinguish them.
_STATUSES: dict[int, Category] = {
    **dict.fromkeys((401, 403, 421), "unauthorized"),
    **dict.fromkeys((404, 429, 502, 503), "unavailable"),
    **dict.fromkeys((408, 504), "timeout"),
}
_MEDIA = ("application/json", "text/event-stream")
_TEXTS: dict[Category, str] = {
    "invalid_request": "the engine does not understand the request",
    "unauthorized": "the engine refuses access",
    "unavailable": "the engine cannot be reached",
    "timeout": "the engine took too long",
    "internal": "the engine failed",
}


def category_named(word: object) -> Category | None:
    return _NAMED.get(word.strip()) if isinstance(word, str) else None


def failure(category: Category, said: str = "") -> RetrievalError:
    """An engine's error, with its message as one short line without secrets."""
    line = plain_line(redact(said[: 8 * _MESSAGE])[0]).strip()[:_MESSAGE]
    return RetrievalError(category, f"{_TEXTS[category]}: {line}" if line else _TEXTS[category])


def refused_over_http(status: int, media: str) -> Category | None:
    """The category of a failed response by status and media type. None for a success, or if its message must tell."""
    if status in _STATUSES:
        return _STATUSES[status]
    if 300 <= status < 400:
        return "unavailable"
    is_message = status == 202 or media.startswith(_MEDIA)
    return "internal" if status >= 500 or (status < 300 and not is_message) else None


def connection_failure(error: BaseException, refused: Category | None = None) -> RetrievalError:
    """A failed connection or call as RetrievalError. `refused` is its category if nothing else tells one."""
    # The code that raised the error has imported it.
    import httpx2  # noqa: PLC0415
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415

    for each in _leaves(error):
        if isinstance(each, RetrievalError):
            return each
        if isinstance(each, MCPError):
            named = category_named(each.data.get("category")) if isinstance(each.data, dict) else None
            return failure(named or refused or _CODES.get(each.code, "internal"))
        if isinstance(each, TimeoutError | httpx2.TimeoutException):
            return failure("timeout")
        if isinstance(each, OSError | httpx2.TransportError):
            return failure("unavailable")
    return failure(refused or "internal")


def _leaves(error: BaseException) -> list[BaseException]:
    """The errors in a group at any depth, in its order, or the error itself if it is no group."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]


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
