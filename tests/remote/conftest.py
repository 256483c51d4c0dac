"""Real servers of git on loopback: `git daemon`, and HTTP with git's smart protocol."""

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.disk.copies import Copy
from ctxtui.core.disk.remote.address import read_address
from ctxtui.core.disk.remote.fetch import fetched
from tests.audit.repositories import Repo
from tests.cli.conftest import ctxtui as ctxtui


class Served:
    """A folder with repositories, and the addresses under which they are served."""

    def __init__(self, folder: Path, base: str) -> None:
        self.folder = folder
        self.base = base

    def repository(self, name: str = "acme") -> Repo:
        return Repo(self.folder / name)

    def address(self, name: str = "acme") -> str:
        return f"{self.base}/{name}"

    def fetched(self, name: str, **options: Any) -> Copy:
        """The copy of what `name` is served as, perhaps with a ref or a folder."""
        return fetched(read_address(self.address(name)), **options)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["git", "daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"]
    nowhere: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    process = subprocess.Popen([*command, f"--base-path={folder}", str(folder)], start_new_session=True, **nowhere)
    try:
        _wait_for(port, process)
        yield Served(folder, f"git://127.0.0.1:{port}")
    finally:
        # The server is a child of what was started.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
    pytest.fail("git daemon did not start")


class _Handler(BaseHTTPRequestHandler):
    """Hands requests to git's own program for HTTP; below `/private` it asks for a password first."""

    folder: Path
    protocol_version = "HTTP/1.0"

    def _serve(self) -> None:
        if self.path.startswith("/private"):
            return self._answer(401, {"WWW-Authenticate": 'Basic realm="acme"'})
        if self.path.startswith("/moved"):
            return self._answer(302, {"Location": f"file://{self.folder}/acme"})
        path, _, query = self.path.partition("?")
        size = int(self.headers.get("Content-Length") or 0)
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(size),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        given = self.rfile.read(size)
        done = subprocess.run(["git", "http-backend"], env=environment, input=given, capture_output=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        return self._answer(int(fields.pop("Status", "200").split()[0]), fields, body)

    def _answer(self, status: int, fields: Mapping[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _serve  # noqa: N815 - the library's names

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    handler = type("Handler", (_Handler,), {"folder": folder})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield Served(folder, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
