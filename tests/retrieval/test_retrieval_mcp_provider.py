"""The provider `mcp` against real servers: ours, and small ones that do one thing wrong (retrieval specification 3.3 and 8)."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.retrieval import ContextSnippet, RetrievalError, Retriever
from ctxtui.retrieval.client.provider import McpProvider
from ctxtui.retrieval.client.target import McpTarget
from tests.retrieval.retrieval_helpers import request
from tests.vendors import Vendors, serving

ENGINE = str(Path(__file__).with_name("mcp_engine.py"))
CLOSED = "http://127.0.0.1:9/mcp"
FOUND = ContextSnippet("e:a.md#L1-L1", "mcp", "a.md", "A", "alpha", 0.5)
ASKED = request("/root", provider_id="mcp")


@pytest.fixture(scope="module", autouse=True)
def _sdk_is_loaded() -> None:
    """The first import takes a second or two, which no deadline here is about."""
    import mcp  # noqa: F401


@asynccontextmanager
async def asking(*words: str, timeout: float = 3.0, **options: Any) -> AsyncIterator[McpProvider]:
    """A provider of the engine that behaves so, connected to nothing afterwards."""
    provider = McpProvider([sys.executable, ENGINE, *words], timeout, **options)
    try:
        yield provider
    finally:
        await provider.aclose()


async def _category(provider: McpProvider) -> str:
    with pytest.raises(RetrievalError) as caught:
        await provider.retrieve(ASKED)
    return caught.value.category


async def test_snippets_come_over_one_warm_connection(tmp_path: Path) -> None:
    async with asking("good", str(tmp_path / "pids")) as provider:
        assert [await provider.retrieve(ASKED) for _ in range(3)] == [[FOUND]] * 3
        began = time.monotonic()
        await provider.retrieve(ASKED)
        assert time.monotonic() - began < 0.5
    assert len((tmp_path / "pids").read_text().split()) == 1


@pytest.mark.parametrize(
    ("behavior", "category"),
    [(name, name) for name in ("invalid_request", "unauthorized", "unavailable", "timeout", "internal")]
    + [(f"data-{name}", name) for name in ("unauthorized", "invalid_request")]
    + [("data-other", "internal"), ("text-timeout: late", "timeout"), ("text-Unknown tool: x", "unavailable")]
    + [("text-1 validation error for x", "invalid_request"), ("text-boom", "internal")]
    + [("code-32600", "invalid_request"), ("code-32602", "invalid_request"), ("code-32601", "unavailable")]
    + [("code-32001", "timeout"), ("code-32000", "unavailable"), ("code-32603", "internal"), ("code-1", "internal")]
    + [("crash", "unavailable"), ("dies", "unavailable"), ("wrong-result", "internal"), ("no-list", "internal")]
    + [("bad-rows", "internal"), ("toolless", "unavailable")],
)
async def test_every_failure_has_a_category(behavior: str, category: str) -> None:
    async with asking(behavior) as provider:
        with pytest.raises(RetrievalError) as caught:
            await provider.retrieve(ASKED)
    assert caught.value.category == category
    assert caught.value.retryable == (category in ("unavailable", "timeout"))
    assert "AKIA" not in str(caught.value)
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("behavior", ["silent", "mute", "slow", "garbage", "stubborn"])
async def test_silence_is_a_timeout_in_time(behavior: str) -> None:
    async with asking(behavior, timeout=0.4) as provider:
        began = time.monotonic()
        assert await _category(provider) in ("timeout", "unavailable", "internal")
        assert time.monotonic() - began < 1.4


@pytest.mark.parametrize("behavior", ["noise", "unstructured"])
async def test_what_can_be_understood_is(behavior: str) -> None:
    async with asking(behavior) as provider:
        assert await provider.retrieve(ASKED) == [FOUND]


@pytest.mark.parametrize("command", [["/absent/engine"], [str(Path(__file__))], "/absent/engine --x 'a b'", CLOSED])
async def test_what_cannot_be_reached_is_unavailable(command: Any) -> None:
    provider = McpProvider(command, 5)
    assert await _category(provider) == "unavailable"
    with pytest.raises(RetrievalError, match="cannot be reached"):
        await provider.connect()
    await provider.aclose()


async def test_a_crashed_engine_is_started_again(tmp_path: Path) -> None:
    async with asking("crash-once", str(tmp_path / "pids")) as provider:
        for _ in range(3):
            assert await provider.retrieve(ASKED) == [FOUND]
    assert len(set((tmp_path / "pids").read_text().split())) == 3


async def test_an_engine_that_stays_silent_is_given_up(tmp_path: Path) -> None:
    async with asking("mute", str(tmp_path / "pids"), timeout=0.4) as provider:
        await provider.connect()
        for _ in range(4):
            assert await _category(provider) == "timeout"
        await provider.connect()
    assert len(set((tmp_path / "pids").read_text().split())) == 2


async def test_twenty_requests_at_a_time_over_one_connection(tmp_path: Path) -> None:
    async with asking("echo", str(tmp_path / "pids")) as provider:
        asked = [request("/root", str(number), provider_id="mcp", limit=number + 1) for number in range(20)]
        answers = await asyncio.gather(*map(provider.retrieve, asked))
    told = [(each.content, each.source) for answer in answers for each in answer]
    assert told == [(str(number), str(number + 1)) for number in range(20)]
    assert len((tmp_path / "pids").read_text().split()) == 1


@pytest.mark.heavy
async def test_a_cancelled_caller_is_gone_at_once_and_harms_nobody(tmp_path: Path) -> None:
    async with asking("slow", str(tmp_path / "pids"), timeout=4) as provider:
        for is_connected in (False, True):
            task = asyncio.create_task(provider.retrieve(ASKED))
            await asyncio.sleep(0.05 if not is_connected else 0.3)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - began < 0.5
            await provider.connect()
        assert await provider.retrieve(ASKED) == [FOUND]
    assert len((tmp_path / "pids").read_text().split()) == 1


async def test_closing_ends_even_a_stubborn_engine(tmp_path: Path) -> None:
    async with asking("stubborn", str(tmp_path / "pids"), timeout=0.5) as provider:
        assert await _category(provider) == "timeout"
    (pid,) = (tmp_path / "pids").read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    assert not [thread for thread in threading.enumerate() if thread.name == "ctxtui-mcp"]


def test_one_provider_serves_several_event_loops(tmp_path: Path) -> None:
    provider = McpProvider([sys.executable, ENGINE, "good", str(tmp_path / "pids")], 3)
    for _ in range(2):
        assert asyncio.run(provider.retrieve(ASKED)) == [FOUND]
    asyncio.run(provider.aclose())
    assert len((tmp_path / "pids").read_text().split()) == 1
    assert asyncio.run(provider.retrieve(ASKED)) == [FOUND]
    asyncio.run(provider.aclose())


async def test_the_engines_stderr_goes_where_it_is_sent(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "log").open("w") as log:
        async with asking("good", errors=log) as provider:
            assert await provider.retrieve(ASKED) == [FOUND]
    assert (tmp_path / "log").read_text() == "narration on stderr\n"
    async with asking("good") as provider:
        await provider.connect()
    assert capfd.readouterr() == ("", "")


async def test_requests_that_break_the_contract_never_leave() -> None:
    provider = McpProvider(["/absent/engine"])
    for wrong in (request("/r", provider_id="filesystem"), request("", provider_id="mcp"), request("/r", limit=0)):
        with pytest.raises(RetrievalError) as caught:
            await provider.retrieve(wrong)
        assert caught.value.category == "invalid_request"
    assert not [thread for thread in threading.enumerate() if thread.name == "ctxtui-mcp"]


async def test_it_is_a_provider_for_the_retriever_with_the_filesystem_behind() -> None:
    class Files:
        async def retrieve(self, _request: Any) -> list[ContextSnippet]:
            return []

    told: list[Notice] = []
    async with asking("crash") as provider:
        retriever = Retriever({"mcp": provider, "filesystem": Files()}, ["unavailable"], told.append)
        assert await retriever.retrieve(ASKED) == []
    assert [notice.code for notice in told] == ["retrieval-fallback"]


@contextmanager
def refusing(status: int) -> Iterator[Vendors]:
    """A server that answers every request with one status; with 0 it does not answer."""
    stop = threading.Event()

    def answer(_path: str) -> tuple[int, dict[str, str], bytes]:
        if not status:
            stop.wait(5)
        return status or 500, {"location": "http://localhost:9/mcp"} if status == 307 else {}, b""

    with serving() as server:
        server.answer = answer
        yield server
        stop.set()


@pytest.mark.parametrize(
    ("status", "category"),
    [(status, "unauthorized") for status in (401, 403)]
    + [(status, "unavailable") for status in (307, 404, 503)]
    + [(status, "timeout") for status in (504, 0)]
    + [(status, "internal") for status in (200, 400, 500)],
)
async def test_what_http_says_has_a_category(status: int, category: str) -> None:
    with refusing(status) as server:
        provider = McpProvider(f"{server.url}/mcp", 1.0, token="letmein")
        began = time.monotonic()
        found = await _category(provider)
        assert time.monotonic() - began < 2
        await provider.aclose()
    assert found == category
    assert {headers["authorization"] for _, headers, _ in server.seen} == {"Bearer letmein"}


async def test_a_token_is_read_from_its_variable_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing(401) as server:
        provider = McpProvider(McpTarget(url=f"{server.url}/mcp", token_env="ENGINE_TOKEN"), 3)
        with pytest.raises(RetrievalError, match="ENGINE_TOKEN is empty or not set") as caught:
            await provider.retrieve(ASKED)
        assert caught.value.category == "unauthorized"
        assert server.seen == []
        monkeypatch.setenv("ENGINE_TOKEN", "letmein")
        assert await _category(provider) == "unauthorized"
        assert server.seen[0][1]["authorization"] == "Bearer letmein"
        await provider.aclose()


async def test_proxies_are_not_asked_for_ones_own_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing(403) as proxy, refusing(401) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        provider = McpProvider(f"{server.url}/mcp", 3, token="letmein")
        assert await _category(provider) == "unauthorized"
        await provider.aclose()
        assert server.seen
        assert proxy.seen == []
