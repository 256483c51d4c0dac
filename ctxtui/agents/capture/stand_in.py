"""A stand-in of a model's API on the loopback: it records requests and answers each with one short text."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
_USED: Final = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
_CHAT_USED: Final = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_DEPTH: Final = 20


class StandIn:
    """The recorded requests, and an event for the first that counts: the first with tools."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.is_full = False
        self.arrived = threading.Event()
        self._lock = threading.Lock()

    @property
    def counted(self) -> Recorded | None:
        return next((each for each in self.requests if each.has_tools), None)

    def record(self, request: Recorded) -> None:
        with self._lock:
            self.is_full |= len(self.requests) >= _MOST_REQUESTS
            if not self.is_full:
                self.requests.append(request)
        if request.has_tools or self.is_full:
            self.arrived.set()


@contextmanager
def serving(stand_in: StandIn) -> Iterator[int]:
    """Serve on a free port of the loopback, which is the value."""

    class Handler(_Handler):
        records = stand_in

    with _Server((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True)
        thread.start()
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
            data = self._chunks()
        path, wire = self.path, wire_of(self.path)
        body: Any = None
        with suppress(ValueError, RecursionError):
            body = json.loads(data)
        if wire is None or not isinstance(body, dict):
            self._json({"error": {"message": "not found"}}, 404)
            return
        self.records.record(Recorded.of(wire, path, self.headers.get("User-Agent", ""), body))
        answer = _ANSWERS[wire](path, body)
        if isinstance(answer, list):
            self._stream(answer)
        else:
            self._json(answer)

    def _chunks(self) -> bytes:
        data = bytearray()
        while size := int(self.rfile.readline(32).split(b";")[0].strip() or b"0", 16):
            if len(data) + size > MOST_BYTES:
                return b""
            data += self.rfile.read(size)
            self.rfile.readline(8)
        return bytes(data)

    def _json(self, value: object, status: int = 200) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _stream(self, events: Iterable[tuple[str, object]]) -> None:
        lines = []
        for name, value in events:
            head = f"event: {name}\n" if name else ""
            lines.append(f"{head}data: {value if isinstance(value, str) else json.dumps(value)}\n\n")
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


Answer = Mapping[str, Any] | list[tuple[str, object]]


def _anthropic(path: str, body: Mapping[str, Any]) -> Answer:
    if "count_tokens" in path:
        return {"input_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if not body.get("stream"):
        return message | {"content": [{"type": "text", "text": _TEXT}], "stop_reason": "end_turn"}
    ended = {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}}
    events: list[tuple[str, dict[str, object]]] = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": _TEXT}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", ended),
        ("message_stop", {}),
    ]
    return [(name, {"type": name, **value}) for name, value in events]


def _responses(_path: str, body: Mapping[str, Any]) -> Answer:
    content = [{"type": "output_text", "text": _TEXT, "annotations": []}]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": body.get("model"), "output": [item]}
    done = response | {"status": "completed", "usage": _USED}
    if not body.get("stream"):
        return done
    begun = response | {"status": "in_progress", "output": []}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events: list[tuple[str, dict[str, object]]] = [
        ("response.created", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": item | {"content": [], "status": "in_progress"}}),
        ("response.output_text.delta", {**at, "delta": _TEXT}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": done}),
    ]
    return [(name, {"type": name, "sequence_number": place, **value}) for place, (name, value) in enumerate(events)]


def _chat(_path: str, body: Mapping[str, Any]) -> Answer:
    head = {"id": "chat_1", "created": 1, "model": body.get("model")}
    said = {"role": "assistant", "content": _TEXT}
    if not body.get("stream"):
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        return head | {"object": "chat.completion", "choices": [choice], "usage": _CHAT_USED}
    head |= {"object": "chat.completion.chunk"}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": _CHAT_USED},
    ]
    return [*(("", head | chunk) for chunk in chunks), ("", "[DONE]")]


def _gemini(path: str, body: Mapping[str, Any]) -> Answer:
    if ":countTokens" in path:
        return {"totalTokens": 1}
    settings = body.get("generationConfig")
    settings = settings if isinstance(settings, dict) else {}
    schema = settings.get("responseSchema") or settings.get("responseJsonSchema")
    text = json.dumps(_smallest(schema)) if schema else _TEXT
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }
    return [("", answer)] if "stream" in path else answer


def _smallest(schema: Any, depth: int = 0) -> Any:
    """The smallest value that a JSON schema allows: Gemini CLI asks a small model which model to use."""
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


_ANSWERS: Final[Mapping[str, Callable[[str, Mapping[str, Any]], Answer]]] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}
