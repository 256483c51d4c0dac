"""The server: a page, the app as a process on a socket, and downloads, all behind the guard."""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import re
import secrets
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar

import textual_serve
from aiohttp import WSMsgType, web
from aiohttp.typedefs import Middleware
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

_SECONDS = 5.0
_DRIVER = "ctxtui.tui.web_driver:WebDriver"
Data = TypeVar("Data", str, bytes)
PROTOCOL: Final = "ctxtui"
Answer = Literal["welcome", "enter", "forbidden", "unknown", "used"]
"""`welcome` gets the cookie, `enter` has it. `forbidden` comes from elsewhere, `unknown` lacks cookie or key."""

# Another port of this machine may be forwarded to ours. Another name may lead here by DNS rebinding.
_LOCAL = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?")

_MOST_BYTES: Final = 1024 * 1024
_CELLS: Final = range(1, 1001)
# Python refuses to read numbers of thousands of digits.
_SIZE: Final = re.compile(r"\d{1,20}")
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_REFUSALS: Final = {
    "forbidden": (403, "ctxtui is served to this machine only\n"),
    "unknown": (401, "open the whole address that `ctxtui serve` printed\n"),
    "used": (401, "this address was opened already; start `ctxtui serve` again for a new one\n"),
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _while_open(send: Callable[[Data], Awaitable[None]]) -> Callable[[Data], Awaitable[None]]:
    """A function that calls `send`. Once the page is closed, it drops the data without an error."""

    async def write(data: Data) -> None:
        with suppress(ConnectionError):
            await send(data)

    return write


class AppProcess(AppService):
    """The app as a process, started by the command `words`, whose screen a socket shows."""

    def __init__(self, words: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager) -> None:
        super().__init__(
            "ctxtui",
            write_bytes=_while_open(socket.send_bytes),
            write_str=_while_open(socket.send_str),
            close=socket.close,  # type: ignore[arg-type]  # its result is not read
            download_manager=downloads,
        )
        self._words = words

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=width, height=height) | {"TEXTUAL_DRIVER": _DRIVER}
        self._process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, cwd=os.curdir
        )
        self._stdin = self._process.stdin
        return self._process

    async def type(self, keys: str) -> None:
        """Pass keys to the app. Empty text is left out, because an empty packet would end the app's input."""
        if keys:
            await self.send_bytes(keys.encode("utf-8", "replace"))

    async def end(self) -> None:
        """Ask the app to quit, as its own key does, and end it if it does not."""
        process = self._process
        if process is None:
            return
        with suppress(asyncio.TimeoutError, OSError):
            async with asyncio.timeout(_SECONDS):
                await self.stop()
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()


class Guard:
    """One token that is exchanged once for the secret of one browser, and the key of the page."""

    def __init__(self, port: int) -> None:
        # Servers at several ports share the cookies of a browser.
        self.cookie = f"ctxtui-{port}"
        self.token, self.secret, self.key = (secrets.token_urlsafe(32) for _ in range(3))
        self._is_used = False

    def judge(self, headers: Mapping[str, str], cookie: str, token: str | None, is_socket: bool) -> Answer:
        """The answer to a request: `welcome` once for the token, `enter` with the secret, else the kind of refusal.

        A socket sends the key as a protocol, after ours, because a page cannot set any other header of it.
        """
        host = headers.get("Host", "")
        origin = headers.get("Origin")
        # A socket of another page would send the cookie, too. Browsers always name the page.
        is_own = origin == f"http://{host}" or (origin is None and not is_socket)
        if not _LOCAL.fullmatch(host) or not is_own:
            return "forbidden"
        if hmac.compare_digest(cookie.encode(), self.secret.encode()):
            brought = headers.get("Sec-WebSocket-Protocol", "").encode("utf-8", "replace").split(b",")
            has_key = hmac.compare_digest(brought[-1].strip(), self.key.encode())
            return "enter" if has_key or not is_socket else "unknown"
        if token is None:
            return "unknown"
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "unknown"
        if self._is_used:
            return "used"
        self._is_used = True
        return "welcome"


class _Session:
    """The one running app. A new socket, such as a reloaded page's, ends the previous socket."""

    def __init__(self, words: Sequence[str]) -> None:
        self.downloads = DownloadManager()
        self._words = words
        self._running: AppProcess | None = None
        self._changing = asyncio.Lock()

    async def start(self, opened: web.WebSocketResponse, width: int, height: int) -> AppProcess:
        """End the running app, and start another for a socket. The size is in cells."""
        async with self._changing:
            await self._end()
            self._running = AppProcess(self._words, opened, self.downloads)
            await self._running.start(width, height)
            return self._running

    async def end(self, process: AppProcess) -> None:
        """End an app unless another has taken its place."""
        async with self._changing:
            if process is self._running:
                await self._end()

    async def close(self) -> None:
        async with self._changing:
            await self._end()

    async def _end(self) -> None:
        if self._running is not None:
            await self._running.end()
            self._running = None


class Serving(NamedTuple):
    """A running server. `address` is the single-use address to open."""

    address: str
    close: Callable[[], Awaitable[None]]


async def start(opened: socket.socket, words: Sequence[str]) -> Serving:
    """Serve the app, started by a command of these words, on an open socket of this machine."""
    port: int = opened.getsockname()[1]
    guard, session = Guard(port), _Session(words)
    app = web.Application(middlewares=[_guarded(guard)], client_max_size=_MOST_BYTES)
    package = files("ctxtui.serve")
    page, style, script = ((package / name).read_text("utf-8") for name in ("page.html", "page.css", "page.js"))
    app.add_routes(
        [
            web.get("/", _file_handler(page, "text/html")),
            web.get("/page.css", _file_handler(style, "text/css")),
            web.get("/page.js", _file_handler(script, "text/javascript")),
            web.get("/ws", _socket_handler(session)),
            web.get("/download/{key}", _download_handler(session)),
            web.static("/static", Path(textual_serve.__file__).parent / "static"),
        ]
    )
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1)
    await runner.setup()
    await web.SockSite(runner, opened).start()

    async def close() -> None:
        await session.close()
        await runner.cleanup()

    return Serving(f"http://127.0.0.1:{port}/?token={guard.token}#{guard.key}", close)


def _guarded(guard: Guard) -> Middleware:
    """The middleware that lets only entered requests through, and gives every answer the same headers."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        token = request.query.get("token") if request.path == "/" else None
        is_socket = request.path == "/ws"
        answer = guard.judge(request.headers, request.cookies.get(guard.cookie, ""), token, is_socket)
        if answer == "welcome" or (answer == "enter" and token is not None):
            # Remove the token from the address bar.
            response: web.StreamResponse = web.Response(status=303, headers={**_HEADERS, "Location": "/"})
            if answer == "welcome":
                response.set_cookie(guard.cookie, guard.secret, httponly=True, samesite="Strict", path="/")
            return response
        if answer != "enter":
            status, text = _REFUSALS[answer]
            return web.Response(status=status, text=text, headers=_HEADERS)
        try:
            response = await handler(request)
        except web.HTTPException as error:
            return web.Response(status=error.status, text=f"{error.reason}\n", headers=_HEADERS)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    return guarded


def _file_handler(text: str, kind: str) -> Handler:
    async def handle(request: web.Request) -> web.Response:
        # Only the page has the word.
        return web.Response(text=text.replace("SOCKET", f"ws://{request.host}/ws"), content_type=kind)

    return handle


def _socket_handler(session: _Session) -> Handler:
    """The handler of the socket. Each starts the app, and an invalid message ends both."""

    async def handle(request: web.Request) -> web.WebSocketResponse:
        opened = web.WebSocketResponse(heartbeat=15, max_msg_size=_MOST_BYTES, protocols=(PROTOCOL,))
        await opened.prepare(request)
        width, height = _cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24)
        process = await session.start(opened, width, height)
        try:
            async for message in opened:
                if message.type != WSMsgType.TEXT or not await _pass_on(message.data, process, opened):
                    break
        finally:
            await session.end(process)
            await opened.close()
        return opened

    return handle


async def _pass_on(text: str, process: AppProcess, opened: web.WebSocketResponse) -> bool:
    """Act on a JSON message of the page, such as keys for the app. Returns False for an invalid message."""
    try:
        match json.loads(text):
            case ["stdin", str(keys)]:
                await process.type(keys)
            case ["resize", {"width": int(width), "height": int(height)}]:
                await process.set_terminal_size(_cells(width, 80), _cells(height, 24))
            case ["ping", sent]:
                await opened.send_json(["pong", sent])
            case ["focus", *_]:
                await process.focus()
            case ["blur", *_]:
                await process.blur()
            case _:
                return False
    except (ValueError, RecursionError):
        return False
    return True


def _cells(value: object, usual: int) -> int:
    number = int(value) if isinstance(value, int) or (isinstance(value, str) and _SIZE.fullmatch(value)) else usual
    return min(max(number, _CELLS.start), _CELLS.stop - 1)


def _download_handler(session: _Session) -> Handler:
    """The handler of downloads. Each has a random key, which only the page learns, by its socket."""

    async def handle(request: web.Request) -> web.StreamResponse:
        key = request.match_info["key"]
        try:
            found = await session.downloads.get_download_metadata(key)
        except KeyError:
            raise web.HTTPNotFound from None
        name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in found.file_name) or "context"
        response = web.StreamResponse(
            headers={
                **_HEADERS,
                "Content-Type": "application/octet-stream",
                "Content-Disposition": f'attachment; filename="{name}"',
            }
        )
        await response.prepare(request)
        async for chunk in session.downloads.download(key):
            await response.write(chunk)
        await response.write_eof()
        return response

    return handle
