"""The real command, and a real browser where there is one."""

import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import pyte
import pytest

_LONGEST = 90


@contextmanager
def serving(project: Path, *words: str, folder: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """`ctxtui serve` as a process that is started in a folder, and the address that it printed."""
    command = [sys.executable, "-P", "-m", "ctxtui", "serve", str(project), *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    try:
        assert process.stdout
        yield process.stdout.readline().decode().strip(), process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_LONGEST)


def base_of(address: str) -> str:
    return address.partition("/?")[0]


def protocols_of(address: str) -> tuple[str, str]:
    """What the page of an address brings to the socket."""
    return "ctxtui", address.partition("#")[2]


class Browser:
    """One page of a real Chromium, driven through its own protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, downloads: Path) -> None:
        self.downloads = downloads
        self._screen = pyte.Screen(200, 60)
        self._stream = pyte.ByteStream(self._screen)
        self.requests: list[str] = []
        self.errors: list[str] = []
        # What the page's own program says and throws.
        self.said: list[str] = []
        self._socket = socket
        self._session = ""
        self._numbers = count(1)
        self._answers: dict[int, Any] = {}

    async def call(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        await self._socket.send_json(message | ({"sessionId": self._session} if self._session else {}))
        async with asyncio.timeout(_LONGEST):
            while number not in self._answers:
                await self._receive()
        answer = self._answers.pop(number)
        assert "error" not in answer, answer
        return answer["result"]

    async def open(self, address: str) -> None:
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        await self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self._session = session
        for domain in ("Network", "Page", "Log", "Runtime"):
            await self.call(f"{domain}.enable")
        size = {"width": 1200, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        await self.call("Emulation.setDeviceMetricsOverride", **size)
        await self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.call("Page.navigate", url=address)

    async def until_shown(self, text: str) -> None:
        """Wait until a row of what the app has drawn holds a text."""
        async with asyncio.timeout(_LONGEST):
            while not any(text in row for row in self._screen.display):
                await self._receive()

    async def until_true(self, expression: str) -> None:
        async with asyncio.timeout(_LONGEST):
            while not await self._is_true(expression):
                await self._is_true("new Promise(done => setTimeout(done, 100))")

    async def _is_true(self, expression: str) -> bool:
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value") is True

    async def press(self, key: str) -> None:
        """Press a key that has a letter."""
        code = ord(key.upper())
        for kind, text in (("keyDown", key), ("keyUp", "")):
            pressed = {"key": key, "text": text, "windowsVirtualKeyCode": code, "modifiers": 8 * key.isupper()}
            await self.call("Input.dispatchKeyEvent", type=kind, **pressed)

    async def downloaded(self) -> Path:
        """The file that was downloaded, once it is whole."""
        async with asyncio.timeout(_LONGEST):
            while True:
                for path in self.downloads.iterdir():
                    if path.suffix != ".crdownload" and path.stat().st_size:
                        return path
                await self._is_true("new Promise(done => setTimeout(done, 100))")

    async def _receive(self) -> None:
        message = json.loads((await self._socket.receive()).data)
        if "id" in message:
            self._answers[message["id"]] = message
            return
        parameters = message.get("params", {})
        match message["method"]:
            case "Network.webSocketFrameReceived" if parameters["response"]["opcode"] == 2:
                self._stream.feed(base64.b64decode(parameters["response"]["payloadData"]))
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(parameters["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.said.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "assert"):
                self.said.append(json.dumps(parameters["args"]))


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Browser]:
    """A new headless Chromium with a profile of its own."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no Chromium")
    downloads = folder / "downloads"
    downloads.mkdir()
    options = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    profile = folder / "profile"
    # It writes to nothing that is read: what outlives a killed browser would hold a pipe open for ever.
    options += " --disable-component-update --remote-debugging-port=0"
    nowhere: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    environment = os.environ | {"HOME": str(folder)}
    command = [executable, *options.split(), f"--user-data-dir={profile}"]
    process = subprocess.Popen(command, env=environment, start_new_session=True, **nowhere)
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(await _address(profile / "DevToolsActivePort"), max_msg_size=0) as socket,
        ):
            yield Browser(socket, downloads)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(_LONGEST)


async def _address(place: Path) -> str:
    """Where a browser listens, once it has written that down."""
    async with asyncio.timeout(_LONGEST):
        while True:
            with suppress(FileNotFoundError, ValueError):
                port, path = place.read_text().split()
                return f"ws://127.0.0.1:{port}{path}"
            await asyncio.sleep(0.05)
