"""The server as a process, asked by a real client: what it answers, whom it refuses, what it leaves behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import pytest
from platformdirs import user_log_path

from tests.conftest import REPOSITORY, Project
from tests.serve.conftest import base_of, protocols_of, serving

_LONGEST = 90
Running = tuple[str, subprocess.Popen[bytes]]


@pytest.fixture
def served(sample: Path) -> Iterator[Running]:
    with serving(sample) as found:
        yield found


@asynccontextmanager
async def _entered(*addresses: str) -> AsyncIterator[aiohttp.ClientSession]:
    async with _client() as session:
        for address in addresses:
            async with session.get(address, allow_redirects=False) as response:
                assert (response.status, response.headers["Location"]) == (303, "/")
        yield session


def _opened(session: aiohttp.ClientSession, address: str, cells: str = "") -> Any:
    """The socket of the app, opened as the page of an address does."""
    base = base_of(address)
    return session.ws_connect(f"{base}/ws{cells}", headers={"Origin": base}, protocols=protocols_of(address))


async def _close(socket: aiohttp.ClientWebSocketResponse) -> None:
    async with asyncio.timeout(_LONGEST):
        while (await socket.receive()).type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
            pass


def _client() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))


async def _until(socket: aiohttp.ClientWebSocketResponse, text: str) -> None:
    seen = b""
    async with asyncio.timeout(_LONGEST):
        while text.encode() not in seen:
            message = await socket.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
            seen += message.data if isinstance(message.data, bytes) else b""


async def test_one_browser_enters_once_and_all_others_are_refused(served: Running) -> None:
    address, _ = served
    base = base_of(address)
    async with _client() as second:
        for path in ("/", "/?token=x", "/page.js", "/static/js/textual.js", "/download/x", "/ws"):
            async with second.get(base + path) as response:
                assert response.status in (401, 403), path
    async with _client() as second, _entered(address) as first:
        async with second.get(address) as response:
            assert response.status == 401
            assert "opened already" in await response.text()
        async with first.get(base) as response:
            page = await response.text()
            assert response.status == 200
            assert f'data-session-websocket-url="ws://{base.partition("//")[2]}/ws"' in page
            assert "http" not in page.replace("ws://", "")
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert response.headers["Cache-Control"] == "no-store"
        async with first.get(address, allow_redirects=False) as response:
            assert response.status == 303
        for headers in ({"Host": "example.org"}, {"Origin": "http://example.org"}):
            async with first.get(base, headers=headers) as response:
                assert response.status == 403
        for path in ("/download/x", "/static/../server.py", "/static/%2e%2e/%2e%2e/server.py", "/nothing"):
            async with first.get(base + path) as response:
                assert response.status in (403, 404), path


async def test_the_app_is_shown_to_one_socket_at_a_time(served: Running) -> None:
    address, process = served
    base = base_of(address)
    async with _entered(address) as session:
        for headers, brought in (({}, 2), ({"Origin": "http://example.org"}, 2), ({"Origin": base}, 1)):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await session.ws_connect(f"{base}/ws", headers=headers, protocols=protocols_of(address)[:brought])
        async with _opened(session, address, "?width=120&height=30") as one:
            await _until(one, "AGENTS.md")
            async with _opened(session, address, f"?width={'9' * 5000}&height=x") as two:
                await _until(two, "AGENTS.md")
                assert len(_children(process.pid)) == 1
                await two.send_str(json.dumps(["stdin", ""]))
                await two.send_str(json.dumps(["stdin", "q"]))
                await _close(two)
        async with _opened(session, address) as three:
            await _until(three, "AGENTS.md")
            assert len(_children(process.pid)) == 1


@pytest.mark.heavy
async def test_a_page_that_sends_nonsense_is_left(served: Running) -> None:
    address, process = served
    async with _entered(address) as session:
        # No JSON, none of the messages, and one that no parser goes through. Each starts an app.
        for text in ("", '["resize", {"width": "x"}]', "[" * 5000):
            async with _opened(session, address) as socket:
                await socket.send_str(text)
                await _close(socket)
        async with session.get(base_of(address)) as response:
            assert response.status == 200
    assert process.poll() is None


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for tasks in listed for child in tasks.read_text().split()]


@pytest.mark.heavy
async def test_two_servers_share_a_browser(sample: Path) -> None:
    with serving(sample) as (first, _), serving(sample) as (second, _):
        async with _entered(first, second) as session:
            for address in (first, second):
                async with _opened(session, address) as socket:
                    await _until(socket, "AGENTS.md")


@pytest.mark.heavy
async def test_a_killed_server_takes_the_app_along(sample: Path) -> None:
    with serving(sample) as (address, process):
        async with _entered(address) as session, _opened(session, address) as socket:
            await _until(socket, "AGENTS.md")
            apps = psutil.Process(process.pid).children()
            process.kill()
            _, alive = await asyncio.to_thread(psutil.wait_procs, apps, _LONGEST)
    assert (len(apps), alive) == (1, [])


@pytest.mark.heavy
@pytest.mark.parametrize("seen", ["", "AGENTS.md"])
async def test_a_page_that_is_closed_while_the_app_starts_or_ends_is_no_bug(sample: Path, seen: str) -> None:
    with serving(sample) as (address, _):
        async with _entered(address) as session:
            for _ in range(3):
                async with _opened(session, address) as socket:
                    if seen:
                        await _until(socket, seen)
                        await socket.send_str(json.dumps(["stdin", "q"]))
    assert list(user_log_path("ctxtui").glob("bug-*")) == []


# Modules that the app imports: whoever runs it in a project must not get the project's.
_NAMES = ("textual", "ctxtui/__init__", "asyncio", "aiohttp", "sitecustomize", "usercustomize", "tiktoken", "json")


async def test_nothing_of_the_project_is_imported(project: Project, tmp_path: Path) -> None:
    mark = tmp_path / "MARK"
    trap = f"open({str(mark)!r}, 'w')\n"
    root = project({"AGENTS.md": "# A\n\ntext\n"} | {f"{name}.py": trap for name in _NAMES})
    with serving(root, folder=root) as (address, _):
        async with _entered(address) as session, _opened(session, address) as socket:
            await _until(socket, "AGENTS.md")
    assert not mark.exists()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
async def test_nothing_runs_on_when_it_ends(sample: Path) -> None:
    with serving(sample) as (address, process):
        async with _entered(address) as session, _opened(session, address) as socket:
            await _until(socket, "AGENTS.md")
            children = _children(process.pid)
            assert len(children) == 1
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, _LONGEST) == 0
    assert not any(Path(f"/proc/{child}/cmdline").exists() for child in children)


def test_stdout_carries_the_address_alone(sample: Path) -> None:
    with serving(sample, "--fresh", "--budget", "2k") as (address, process):
        assert address.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=_LONGEST)
    assert out == b""
    assert b"open this address once" in err
    assert b"Traceback" not in err


def test_a_port_in_use_and_a_missing_folder_are_said(sample: Path) -> None:
    with serving(sample) as (address, _):
        port = base_of(address).rpartition(":")[2]
        taken, missing = [str(sample), "--port", port], [f"{sample}/nothing"]
        for words, said in ((taken, b"cannot listen"), (missing, b"does not exist")):
            command = [sys.executable, "-m", "ctxtui", "serve", *words]
            run = subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST)
            assert run.returncode in (2, 4)
            assert (run.stdout, said in run.stderr) == (b"", True), run.stderr


def test_without_the_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['textual_serve'] = None; from ctxtui.cli.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "serve", "."]
    run = subprocess.run(command, capture_output=True, check=False, cwd=REPOSITORY, env=dict(os.environ))
    assert run.returncode == 4
    assert b"install ctxtui[serve] the way you installed ctxtui" in run.stderr
