"""A stand-in of a model's API on the loopback: it records requests and answers each with one short text."""

from __future__ import annotations

import importlib.resources
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from ctxtui.agents.capture.wires import Recorded, wire_of
from ctxtui.core.base.loopback import HOST

MOST_BYTES: Final = 16 * 1024 * 1024
"""The maximum size of a request."""

_MOST_REQUESTS: Final = 64
_SECONDS: Final = 30
_POLL: Final = 0.02
_TEXT: Final = "ok"
_CALL: Final = "call_ctxtui"
_DEPTH: Final = 20


class StandIn:
    """The recorded requests, and an event for the first that counts: the first with tools.

    With a `call`, a tool and its input as JSON, that request is answered by this call of the tool that starts a
    subagent. The subagent's own first request ends the recording then.
    """

    def __init__(self, call: tuple[str, str] | None = None) -> None:
        self.requests: list[Recorded] = []
        self.is_full = False
        self.arrived, self.ended = threading.Event(), threading.Event()
        self.why: list[str] = []
        """The reasons why the recording ended early."""
        self._call = call
        self._lock = threading.Lock()

    @property
    def counted(self) -> Recorded | None:
        """The first request with tools, None before it came."""
        return next((each for each in self.requests if each.has_tools), None)

    @property
    def of_subagent(self) -> Recorded | None:
        """The subagent's first request, or None. It has tools and the prompt of the call, but not the call itself."""
        prompt = max(json.loads(self._call[1]).values(), key=len) if self._call else ""
        asked = ((each, json.dumps(each.body)) for each in self.requests if prompt and each.has_tools)
        return next((each for each, text in asked if prompt in text and _CALL not in text), None)

    def stop(self, reason: str) -> None:
        """End the recording early, for a reason."""
        self.why.append(reason)
        self.arrived.set()
        self.ended.set()

    def record(self, request: Recorded) -> tuple[str, str] | None:
        """Record a request, and return the call that answers it, None for a text."""
        with self._lock:
            self.is_full |= len(self.requests) >= _MOST_REQUESTS
            if not self.is_full:
                self.requests.append(request)
            is_first = request is self.counted
        if request.has_tools or self.is_full:
            self.arrived.set()
        if self.arrived.is_set() and (not self._call or self.is_full or self.of_subagent):
            self.ended.set()
        return self._call if is_first else None


@contextmanager
def serving(stand_in: StandIn) -> Iterator[int]:
    """Serve in this context on a free port of the loopback. Yields its number."""

    class Handler(_Handler):
        records = stand_in

    with _Server((HOST, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


class _Server(ThreadingHTTPServer):
    # Connections that agents keep open would otherwise hold up the end.
    block_on_close = False

    def handle_error(self, *_words: object) -> None:
        """Print nothing when an agent is ended amid a request."""


class _Handler(BaseHTTPRequestHandler):
    records: StandIn
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", b"")

    def do_GET(self) -> None:
        if "upgrade" in self.headers.get("Connection", "").lower():
            # Codex tries a WebSocket first; this status alone makes it fall back at once.
            self._send(426, "text/plain", b"")
        elif self.path.partition("?")[0].endswith("/models"):
            self._json({"object": "list", "data": [], "models": []})
        else:
            self._json({"error": {"message": "not found"}}, 404)

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        data = self.rfile.read(int(size)) if size.isdigit() and int(size) <= MOST_BYTES else b""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            data = self._chunked_body()
        path, wire = self.path, wire_of(self.path)
        body: Any = None
        with suppress(ValueError, RecursionError):
            body = json.loads(data)
        if wire is None or not isinstance(body, dict):
            self._json({"error": {"message": "not found"}}, 404)
            return
        sender = self.headers.get("User-Agent", "")[:200]
        call = self.records.record(Recorded(wire, path.partition("?")[0], sender, body))
        answer = _answer(wire, path, body, call)
        if isinstance(answer, list):
            self._send_events(answer)
        else:
            self._json(answer)

    def _chunked_body(self) -> bytes:
        """The body of a request in chunks, empty above the maximum size."""
        data = bytearray()
        while size := int(self.rfile.readline(32).split(b";")[0].strip() or b"0", 16):
            if len(data) + size > MOST_BYTES:
                return b""
            data += self.rfile.read(size)
            self.rfile.readline(8)
        return bytes(data)

    def _json(self, value: object, status: int = 200) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send_events(self, events: Iterable[Any]) -> None:
        lines = []
        for event in events:
            is_named = isinstance(event, dict) and "type" in event
            head = f"event: {event['type']}\n" if is_named else ""
            lines.append(f"{head}data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
        self._send(200, "text/event-stream", "".join(lines).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    def log_message(self, *_words: object) -> None:
        """Print nothing."""


@cache
def _forms() -> str:
    return importlib.resources.files(__package__).joinpath("answers.json").read_text(encoding="utf-8")


def _answer(wire: str, path: str, body: Mapping[str, Any], call: tuple[str, str] | None) -> Any:
    """A short text or a call in the wire format of a request: an object, or a list of events for a stream."""
    settings = body.get("generationConfig")
    schema = isinstance(settings, dict) and (settings.get("responseSchema") or settings.get("responseJsonSchema"))
    text = json.dumps(_smallest(schema)) if schema else _TEXT
    filled = _forms()
    name, given = call or ("", "{}")
    namespace, _, tool = name.rpartition(".")
    values = {"model": str(body.get("model")), "text": text, "tool": tool, "namespace": namespace, "input": given}
    for name, value in (*values.items(), ("object", json.loads(given))):
        filled = filled.replace(f'"{{{name}}}"', json.dumps(value))
    form = json.loads(filled)[wire]
    if call and "call" in form:
        return form["call"]
    if "count" in form and "count" in path:
        return form["count"]
    return form["events" if body.get("stream") or "stream" in path else "whole"]


def _smallest(schema: Any, depth: int = 0) -> Any:
    """A value as small as a JSON schema allows. Gemini CLI asks a small model for one, to choose its model."""
    if not isinstance(schema, dict) or depth > _DEPTH:
        return None
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kind = str(schema.get("type", "")).lower()
    if kind == "object":
        fields = schema.get("properties")
        fields = fields if isinstance(fields, dict) else {}
        return {name: _smallest(each, depth + 1) for name, each in fields.items()}
    return {"array": [], "string": _TEXT, "integer": 0, "number": 0, "boolean": False}.get(kind)
