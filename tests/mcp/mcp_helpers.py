"""What the tests of the server share: real server processes, and clients of the SDK that wait for them."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

LAUNCH = str(Path(__file__).with_name("launch.py"))
SECRET = "AKIA" + "Z7Q3K5M2N8P4R6T2"
TOKEN = "letmein-letmein-1"
ASKED = {"prompt": "refund", "spaceId": "s", "sessionId": "t", "rootPath": ".", "providerId": "mcp"}


FILES = {
    "AGENTS.md": "# Agents\n\nRun the tests before you push.\n",
    ".context/CONSTITUTION.md": "# Rules\n\nNever store card numbers.\n",
    ".context/TASKS.md": "# Tasks\n\n## Doing\n\n- [ ] Refund window #pay\n\n## Done\n\n- [x] Login\n",
    "docs/refunds.md": "# Refunds\n\nA refund is paid within 30 days.\n\n## Partial refund\n\nOnly support may.\n",
    "docs/hosting.md": f"# Hosting\n\nThe refund job signs with {SECRET} each night.\n",
    "docs/yarn.lock": "left-pad@1.3.0:\n",
    "notes/a.md": "---\nentryId: a\ncategory: Decision\ntags: [pay]\ncreatedAt: 2026-02-26T09:30:00Z\n---\n\nRefund.\n",
    "notes/b.md": "---\nentryId: b\ncategory: Lesson\ntags: [x]\ncreatedAt: 2026-03-26T09:30:00Z\n---\n\nSlow.\n",
    ".ctxtui/recipes/review.yaml": "picks: [AGENTS.md, docs/refunds.md]\nprompt: Review this.\nbudget: 4000\n",
    ".ctxtui/recipes/asked.yaml": "picks:\n  - query: pay\n    entries: {tags: [pay]}\nbudget: 4000\n",
    "main.py": "from fastapi import FastAPI\n",
    "library/cross_domain.md": "# Cross-domain\n\n## From Python\n\n| Trigger | Target file | Relevance |\n|---|---|---|\n"
    "| auth code | `security/rules.md` | 0.9 |\n",
    "library/loading_protocol.md": "# Protocol\n\n## Step 1: Read the Domain Index\n\nOpen it.\n",
    "library/python/index.md": "---\nid: python/index\ndomain: python\ntype: index\n---\n\n# Python\n\n## Files\n\n"
    "| File | Purpose |\n|---|---|\n| `issues.md` | Mistakes |\n",
    "library/python/issues.md": "---\nid: python/issues\ndomain: python\ntitle: Issues\ntype: always\n"
    "loadingStrategy: always\nestimatedTokens: 40\ntags: [python, review]\n"
    "sections:\n  - name: State\n    estimatedTokens: 9\n    keywords: [shared]\n---\n\n# Issues\n\n## State\n\nShare none.\n",
    "library/python/api.md": "---\nid: python/api\ndomain: python\ntitle: API\ntype: framework\n"
    "loadingStrategy: onDemand\nestimatedTokens: 20\ntags: [fastapi]\n---\n\n# API\n\nDeclare models.\n",
    "library/python/context_detection.md": "---\nid: python/context_detection\ndomain: python\ntype: detection\n---\n\n"
    "# Detection\n\n## Frameworks\n\n| Import | Framework | Load |\n|---|---|---|\n| `from fastapi` | FastAPI | api.md |\n",
    "library/security/index.md": "---\nid: security/index\ndomain: security\ntype: index\n---\n\n# Security\n",
    "library/security/rules.md": "---\nid: security/rules\ndomain: security\ntitle: Rules\ntype: reference\n"
    "loadingStrategy: onDemand\n---\n\n# Rules\n\nCheck each token.\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return root


def words(**options: Any) -> list[str]:
    """The command that starts a server."""
    return [sys.executable, LAUNCH, json.dumps(options, default=str)]


def environment(home: Path) -> dict[str, str]:
    """Variables that keep a server out of the user's folders."""
    names = ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    return {"HOME": str(home), **{name: str(home / name) for name in names}}


@dataclass
class Answer:
    """A tool's answer: structured content, text, and whether it is an error."""

    data: Any
    text: str
    is_error: bool

    @property
    def result(self) -> Any:
        """The result of a call that went well."""
        assert not self.is_error, self.text
        return self.data["result"]

    @property
    def codes(self) -> list[str]:
        """The codes of the notices."""
        return [notice["code"] for notice in self.data["notices"]]

    @property
    def category(self) -> str:
        """The category of an error, which is the first word of its text as well."""
        text, category = self.refusal, str(self.data["error"]["category"])
        assert text.startswith(f"{category}: ")
        return category

    @property
    def refusal(self) -> str:
        """The text of an error."""
        assert self.is_error, self.text
        return self.text


class Session:
    """A client of the SDK in a thread of its own, for tests that are no coroutines."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._keep(),))
        self._thread.start()
        assert self._ready.wait(30)

    async def _keep(self) -> None:
        try:
            async with Client(self._make()) as self.client:
                self._ready.set()
                await self._stop.wait()
        finally:
            self._ready.set()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run something on the client's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def call(self, name: str, **arguments: Any) -> Answer:
        """Call a tool."""
        return self.run(call(self.client, name, **arguments))  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the client and with it a server that it started."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(15)
        self._loop.close()


async def call(client: Client, name: str, **arguments: Any) -> Answer:
    """Call a tool."""
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    assert block.type == "text"
    answer = Answer(result.structured_content, block.text, result.is_error)
    assert answer.is_error or json.loads(block.text) == answer.data
    return answer


@contextmanager
def over_stdio(home: Path, **options: Any) -> Iterator[Session]:
    """A server over stdio, started by the client."""
    command, *arguments = words(**options)
    session = Session(lambda: StdioServerParameters(command=command, args=arguments, env=environment(home)))
    try:
        yield session
    finally:
        session.close()


@contextmanager
def http_server(home: Path, **options: Any) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server over HTTP on a free port: its URL and its process."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(
        words(**{"http": 0} | options), env=os.environ | environment(home), text=True, **streams
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert "http://" in line, line
        yield line[line.index("http://") :].strip(), process
    finally:
        if process.poll() is None:
            process.terminate()
        out, _ = process.communicate(timeout=60)
    assert (process.returncode in (0, 130), out) == (True, "")


@asynccontextmanager
async def _with_token(url: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers) as client, streamable_http_client(url, http_client=client) as both:
        yield both


@contextmanager
def over_http(url: str) -> Iterator[Session]:
    """A client of a server over HTTP that brings the token."""
    session = Session(lambda: _with_token(url))
    try:
        yield session
    finally:
        session.close()
