"""The app as a process with screen and keys on the browser's socket."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

_SECONDS = 5.0
_DRIVER = "ctxtui.tui.terminal.web_driver:WebDriver"
Data = TypeVar("Data", str, bytes)


def _closing(socket: web.WebSocketResponse) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        await socket.close()

    return close


def _while_open(send: Callable[[Data], Awaitable[None]]) -> Callable[[Data], Awaitable[None]]:
    """Send until the page is gone. Later output is read and discarded, so that the app can end."""

    async def write(data: Data) -> None:
        with suppress(ConnectionError):
            await send(data)

    return write


class AppProcess(AppService):
    def __init__(self, words: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager) -> None:
        super().__init__(
            "ctxtui",
            write_bytes=_while_open(socket.send_bytes),
            write_str=_while_open(socket.send_str),
            close=_closing(socket),
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
        """Pass on keys. An empty packet would end the app's input."""
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
