"""The server as a process: what stands on stdout, how it ends, and who may ask over HTTP."""

import asyncio
import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.loopback import listening
from ctxtui.mcp import Options, serve
from ctxtui.mcp import http as serving_http
from ctxtui.mcp.http import serve_http
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.mcp.mcp_helpers import FILES, TOKEN, environment, http_server, words, write

pytestmark = pytest.mark.heavy

CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
RIGHT = {"Authorization": f"Bearer {TOKEN}"}
PIPES: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers of a small project over stdio; none outlives its test."""
    root = write(tmp_path / "project", {"a.md": FILES["AGENTS.md"]})
    started: list[subprocess.Popen[str]] = []

    def run(**options: Any) -> subprocess.Popen[str]:
        command = words(**{"path": root} | options)
        started.append(subprocess.Popen(command, env=environment(tmp_path / "home"), text=True, **PIPES))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate(timeout=60)


def _say(process: subprocess.Popen[str], message: object) -> None:
    assert process.stdin is not None
    process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def _greeted(start: Start, **options: Any) -> subprocess.Popen[str]:
    process = start(**options)
    _say(process, INITIALIZE)
    assert _hear(process)["result"]["serverInfo"]["name"] == "ctxtui"
    _say(process, INITIALIZED)
    return process


def test_stdout_carries_the_protocol_alone_and_garbage_changes_nothing(start: Start) -> None:
    process = _greeted(start)
    for garbage in ("", "garbage", "{", "[]", "null", '{"jsonrpc": "2.0"}', "\ud7ff" * 100, "[" * 100_000):
        _say(process, garbage)
    _say(process, "x" * (5 * 1024 * 1024))
    _say(process, {"jsonrpc": "2.0", "id": 2, "method": "no/such"})
    _say(process, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": 7}})
    _say(process, {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "query_entries"}})
    answers = {answer["id"]: answer for answer in (_hear(process) for _ in range(3))}
    assert [answers[number]["error"]["code"] for number in (2, 3)] == [-32601, -32602]
    assert answers[4]["result"]["structuredContent"]["result"] == []
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err.startswith("serving ")


def test_an_interrupt_ends_it_in_order_and_quietly(start: Start) -> None:
    process = _greeted(start, quiet=True, allow_store=True)
    _say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    assert "store_entry" in [tool["name"] for tool in _hear(process)["result"]["tools"]]
    process.send_signal(signal.SIGINT)
    assert process.wait(4) == 130
    assert process.communicate(timeout=60) == ("", "")


def test_a_caller_who_does_not_read_cannot_keep_it_alive(start: Start) -> None:
    process = _greeted(start, quiet=True)
    for number in range(200):
        _say(process, {"jsonrpc": "2.0", "id": number, "method": "tools/list"})
    process.send_signal(signal.SIGTERM)
    assert process.wait(12) == 0


def test_requests_in_a_file_are_answered_before_the_end(start: Start) -> None:
    requests = [{"jsonrpc": "2.0", "id": each, "method": "tools/list"} for each in range(2, 5)]
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "query_entries"}}
    told = [INITIALIZE, INITIALIZED, *requests, call]
    out, _ = start(quiet=True).communicate("".join(f"{json.dumps(each)}\n" for each in told), timeout=60)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert answers.keys() == {INITIALIZE["id"], 2, 3, 4, 5}
    assert all("result" in answer for answer in answers.values())


def test_a_caller_who_closes_its_end_ends_it(start: Start) -> None:
    process = _greeted(start, quiet=True)
    assert process.stdout is not None
    process.stdout.close()
    _say(process, {"jsonrpc": "2.0", "id": 5, "method": "tools/list"})
    assert process.wait(10) == 0
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize("options", [{"path": "/absent"}, {"token_file": "/absent", "http": 0}, {"token_file": "x"}])
def test_wrong_options_are_told_on_stderr(start: Start, options: dict[str, Any]) -> None:
    out, err = start(**options).communicate(timeout=60)
    assert out == ""
    assert "Traceback" not in err
    assert "absent" in err or "token" in err


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys\nsys.modules['mcp'] = None\nfrom pathlib import Path\nfrom ctxtui.mcp import Options, serve\n"
    code += "from ctxtui.core.base.errors import ContextError\n"
    code += "try:\n    serve(Path('.'), Options())\nexcept ContextError as error:\n    print(error.category, error.hint)\n"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert run.stdout == "unavailable install ctxtui[mcp] the way you installed ctxtui\n"


def test_importing_the_package_loads_no_sdk_and_no_screen() -> None:
    code = "import sys, ctxtui.mcp, ctxtui.cli.mcp, ctxtui.mcp.run, ctxtui.retrieval.client.provider\n"
    code += "print(sorted({name.split('.')[0] for name in sys.modules} & {'mcp', 'textual', 'rich', 'uvicorn', 'httpx2'}))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def _post(url: str, path: str = "/mcp", method: str = "POST", **headers: str) -> int:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    fixed = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, json.dumps(INITIALIZE), fixed | named)
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_who_brings_the_token_gets_in(guarded: str) -> None:
    right = RIGHT["Authorization"]
    assert _post(guarded, **RIGHT) == 200
    for wrong in ("", "Bearer", "Bearer letmein", f"{right}x", right.lower(), f"Basic {TOKEN}", "Bearer ü"):
        assert _post(guarded, Authorization=wrong) == 401
    assert (_post(guarded), _post(guarded, "/"), _post(guarded, "/", **RIGHT)) == (401, 401, 404)


def test_only_this_machines_own_names_are_served(guarded: str) -> None:
    port = urlsplit(guarded).port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"localhost.evil:{port}", f"localhost:{port}1"):
        assert _post(guarded, Host=host, **RIGHT) == 421
    assert _post(guarded, Host=f"localhost:{port}", **RIGHT) == 200
    for origin in ("https://evil.example", "null", f"http://localhost:{port}.evil.example", "http://127.0.0.1:1"):
        assert _post(guarded, Origin=origin, **RIGHT) == 403
    assert _post(guarded, Origin=f"http://127.0.0.1:{port}", **RIGHT) == 200
    for modern in ("2026-07-28", "2025-11-25"):
        assert _post(guarded, MCP_Protocol_Version=modern, Host="evil.example", **RIGHT) == 421
    assert _post(guarded, method="GET", Host="evil.example", **RIGHT) in (405, 421)


def test_it_listens_on_the_loopback_interface_alone(guarded: str) -> None:
    parts = urlsplit(guarded)
    assert (parts.hostname, parts.path) == ("127.0.0.1", "/mcp")
    listening = Path("/proc/net/tcp")
    if listening.exists():
        rows = [row.split()[1] for row in listening.read_text().splitlines()[1:]]
        assert [row for row in rows if row.endswith(f":{parts.port:04X}") and not row.startswith("0100007F")] == []


def test_over_http_an_interrupt_ends_it_in_order(shop: Path, tmp_path: Path) -> None:
    with http_server(tmp_path, path=shop) as (url, process):
        assert _post(url) == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(8) == 130


def test_a_taken_port_is_unavailable_and_no_port_a_wrong_request(guarded: str, tmp_path: Path) -> None:
    ports = ((urlsplit(guarded).port, "unavailable"), (65_536, "invalid_request"), (-1, "invalid_request"))
    for port, category in ports:
        with pytest.raises(ContextError, match=r"cannot listen|not a port") as caught:
            serve(tmp_path, Options(port=port))
        assert caught.value.category == category


def test_many_callers_over_http_at_a_time(guarded: str) -> None:
    with ThreadPoolExecutor(20) as callers:
        asked = [callers.submit(_post, guarded, **RIGHT) for _ in range(20)]
        assert [each.result(20) for each in asked] == [200] * 20


@pytest.mark.parametrize("half", [b"", b"POST /m"])
def test_half_open_connections_keep_nobody_out(half: bytes, shop: Path, tmp_path: Path) -> None:
    with http_server(tmp_path, path=shop) as (url, _), ExitStack() as stack:
        assert _post(url) == 200
        parts = urlsplit(url)
        for _ in range(150):
            stack.enter_context(socket.create_connection((parts.hostname, parts.port), timeout=5)).sendall(half)
        start = time.monotonic()
        assert [_post(url) for _ in range(3)] == [200] * 3
        assert time.monotonic() - start < 4


@pytest.mark.parametrize(
    "begun", [b"", b"POST /mcp HTTP/1.1\r\nX: ", b"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 999\r\n\r\n{"]
)
async def test_a_request_that_does_not_arrive_is_given_up(
    begun: bytes, opened: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often another byte of it comes."""
    for name in ("_HEAD_SECONDS", "_BODY_SECONDS"):
        monkeypatch.setattr(serving_http, name, 0.3)
    stop = asyncio.Event()
    with listening(0) as place:
        serving = asyncio.create_task(serve_http(make_server(opened, False), place, None, stop))
        reader, writer = await asyncio.open_connection(*place.getsockname())
        writer.write(begun)
        with suppress(ConnectionError):
            async with asyncio.timeout(3):
                while not reader.at_eof():
                    if begun:
                        writer.write(b"x")
                    with suppress(TimeoutError):
                        await asyncio.wait_for(reader.read(100), 0.05)
        writer.close()
        stop.set()
        await serving
