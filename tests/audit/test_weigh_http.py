"""Servers over HTTP that answer badly: too much, compressed, elsewhere, refused, never."""

import gzip
import json
from collections.abc import Iterator

import pytest

from ctxtui.audit.weigh.server_tools import list_servers
from ctxtui.audit.weigh.types import Launch
from ctxtui.core import ContextError
from tests.vendors import Vendors, serving

HIDDEN = "correct-horse-battery"
JSON = {"content-type": "application/json"}


def _answer(path: str) -> tuple[int, dict[str, str], bytes]:
    """A different thing wrong on each path."""
    match path:
        case "/refuses":
            return 401, {}, HIDDEN.encode()
        case "/elsewhere":
            return 307, {"location": "http://localhost:1/stolen"}, b""
        case "/compresses":
            return 200, {**JSON, "content-encoding": "gzip"}, gzip.compress(b" " * 50_000_000)
        case "/much":
            return 200, JSON, json.dumps({"jsonrpc": "2.0", "id": 1, "result": "x" * 20_000_000}).encode()
        case "/streams":
            return 200, {"content-type": "text/event-stream"}, (b": " + b"x" * 900_000 + b"\n\n") * 40
        case _:
            return 200, {"content-type": "text/html"}, b"<html>Log in</html>"


@pytest.fixture
def server() -> Iterator[Vendors]:
    with serving() as server:
        server.answer = _answer
        yield server


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
def test_bad_answers_have_a_reason(server: Vendors, path: str, category: str, said: str) -> None:
    (found,) = list_servers([Launch((), f"{server.url}/{path}", "http", headers={"X-Key": HIDDEN})], 20)
    assert isinstance(found, ContextError)
    assert (found.category, said in found.message) == (category, True), found.message
    assert HIDDEN not in found.message
    assert {each[0] for each in server.seen} == {f"/{path}"}


def test_headers_do_not_go_over_plain_http_to_another_machine() -> None:
    (found,) = list_servers([Launch((), "http://server.example/mcp", "http", headers={"X-Key": HIDDEN})], 5)
    assert isinstance(found, ContextError)
    assert "plain HTTP" in found.message
    assert HIDDEN not in found.message
