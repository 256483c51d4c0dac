"""A connection to an MCP server over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx2
    from mcp.client._transport import TransportStreams

    OnResponse = Callable[[httpx2.Response], Awaitable[None]]

_CONNECT_SECONDS: Final = 15.0
# The longest silence of a message stream. Calls have their own deadlines.
_STREAM_SECONDS: Final = 300.0


@asynccontextmanager
async def over_http(
    url: str, headers: Mapping[str, str], is_local: bool, on_response: OnResponse, is_sse: bool = False
) -> AsyncIterator[TransportStreams]:
    """The streams of a server at a URL, by Streamable HTTP, or by the older protocol if `is_sse`.

    `on_response` sees every response before its body is read. No proxy is used if the server `is_local`. The SDK
    follows redirects within one origin only.
    """
    # A dependency of the SDK, needed only over HTTP.
    import httpx2  # noqa: PLC0415

    client = httpx2.AsyncClient(
        headers=headers,
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=_STREAM_SECONDS),
        # No proxy for this machine: it cannot reach the server and must not see the token.
        trust_env=not is_local,
        event_hooks={"response": [on_response]},
    )
    if is_sse:
        from mcp.client.sse import sse_client  # noqa: PLC0415 - as above

        def made(*_: Any, **__: Any) -> httpx2.AsyncClient:
            return client

        async with sse_client(url, httpx_client_factory=made) as streams:
            yield streams
        return
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - as above

    async with client, streamable_http_client(url, http_client=client) as streams:
        yield streams
