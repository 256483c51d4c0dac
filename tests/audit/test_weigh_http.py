"""Servers over HTTP that answer badly: too much, compressed, elsewhere, refused, never."""

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ctxtui.audit.weigh.listing import list_servers
from ctxtui.audit.weigh.types import Launch
from ctxtui.core import ContextError

HIDDEN = "correct-horse-battery"


class _Bad(BaseHTTPRequestHandler):
    """Answers by the path of the request."""

    seen: list[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append(self.path)
        getattr(self, f"_{self.path.strip('/').replace('-', '_')}")()

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

    def _send(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _refuses(self) -> None:
        self._send(401, HIDDEN.encode())

    def _elsewhere(self) -> None:
        self._send(307, Location="http://localhost:1/stolen")

    def _compresses(self) -> None:
        self._send(200, gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")

    def _much(self) -> None:
        self._send(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": "x" * 20_000_000}).encode())

    def _streams(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b": " + b"x" * 900_000 + b"\n\n")
        except OSError:
            pass

    def _page(self) -> None:
        self._send(200, b"<html>Log in</html>", Content_Type="text/html")


@pytest.fixture
def url() -> Iterator[str]:
    """A server that does a different thing wrong on each path."""
    _Bad.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Bad)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "category", "said"),
    [
        ("refuses", "unauthorized", "refuses access"),
        ("elsewhere", "unavailable", "cannot be reached"),
        ("compresses", "unavailable", "compressed its answer"),
        ("much", "unavailable", "more than 16 MB"),
        ("streams", "unavailable", "more than 16 MB"),
        ("page", "internal", "failed"),
    ],
)
def test_bad_answers_have_a_reason(url: str, path: str, category: str, said: str) -> None:
    (found,) = list_servers([Launch((), f"{url}/{path}", "http", headers={"X-Key": HIDDEN})], 20)
    assert isinstance(found, ContextError)
    assert (found.category, said in found.message) == (category, True), found.message
    assert HIDDEN not in found.message
    assert set(_Bad.seen) == {f"/{path}"}


def test_headers_do_not_go_over_plain_http_to_another_machine() -> None:
    (found,) = list_servers([Launch((), "http://server.example/mcp", "http", headers={"X-Key": HIDDEN})], 5)
    assert isinstance(found, ContextError)
    assert "plain HTTP" in found.message
    assert HIDDEN not in found.message
