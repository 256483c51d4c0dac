"""The app as a process whose screen and keys go through the browser's socket."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

_SECONDS = 5.0


def _closing(socket: web.WebSocketResponse) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        await socket.close()

    return close


class AppProcess(AppService):
    """One running app; `words` are its command, started without a shell."""

    def __init__(self, words: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager) -> None:
        super().__init__(
            "ctxtui",
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=_closing(socket),
            download_manager=downloads,
        )
        self._words = words

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=width, height=height)
        self._process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, cwd=os.curdir
        )
        self._stdin = self._process.stdin
        return self._process

    async def end(self) -> None:
        """Ask the app to quit, as its own key does, and end it if it does not."""
        process = self._process
        with suppress(asyncio.TimeoutError, OSError):
            await asyncio.wait_for(self.stop(), _SECONDS)
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError, asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), _SECONDS)
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()
