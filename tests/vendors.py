"""A local server that speaks the documented protocols of vendors: counting endpoints, comments on pull requests."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Vendors:
    """The server: what it was sent, and what it answers."""

    url: str = ""
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    answer: Callable[[str], tuple[int, dict[str, str], bytes]] = lambda _path: (200, {}, b"{}")

    def environment(self, **keys: str) -> dict[str, str]:
        bases = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL")
        return {**dict.fromkeys(bases, self.url), **keys}


@contextmanager
def serving() -> Iterator[Vendors]:
    """The server while it runs, on a free port of this machine."""
    state = Vendors()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"] or 0)) or b"null"
            state.methods.append(self.command)
            state.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
            status, headers, answer = state.answer(self.path)
            self.send_response(status)
            for name, value in {"content-length": str(len(answer)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_PATCH = do_POST  # noqa: N815 - the library's names

        def log_message(self, *_args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield state
        server.shutdown()
