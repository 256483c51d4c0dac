"""The provider `mcp` and the server together: retrieval specification 7, from request to snippets, over both transports."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider, RetrievalError, Retriever
from ctxtui.retrieval.client.provider import McpProvider
from ctxtui.retrieval.client.target import McpTarget
from tests.mcp.mcp_helpers import SECRET, TOKEN, environment, words

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def targets(shop: Path, guarded: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, McpTarget]:
    """The shop's server as a command and as a URL with a token."""
    variables = environment(tmp_path_factory.mktemp("home"))
    command = McpTarget(tuple(words(path=shop, quiet=True)), env=variables, timeout=5)
    return {"stdio": command, "http": McpTarget(url=guarded, token=TOKEN, timeout=5)}


@pytest.fixture(params=["stdio", "http"], scope="module")
def provider(request: pytest.FixtureRequest, targets: dict[str, McpTarget]) -> Iterator[McpProvider]:
    """A connected provider; one connection for all tests, each with a loop of its own."""
    told: list[Notice] = []
    made = McpProvider(targets[request.param], on_notice=told.append)
    asyncio.run(made.connect(30))
    yield made
    asyncio.run(made.aclose())
    assert told == []


def asked(root: object, prompt: str = "refund", **fields: Any) -> ContextRetrievalRequest:
    """A valid request, but for the given fields."""
    return ContextRetrievalRequest(prompt, "space", "session", str(root), "mcp", **fields)


async def test_the_engine_finds_what_the_filesystem_finds(provider: McpProvider, shop: Path) -> None:
    wide = asked(shop, "refund days support", limit=50)
    found = await provider.retrieve(wide)
    files = FilesystemProvider(on_notice=lambda _: None)
    same = await files.retrieve(replace(wide, provider_id="filesystem"))
    files.close()
    assert found == [replace(each, provider="mcp", id=each.id.replace("filesystem:", "mcp:", 1)) for each in same]
    assert len(found) > 2
    assert await provider.retrieve(wide) == found
    assert await provider.retrieve(asked(shop, "refund days support", limit=2)) == found[:2]
    assert await provider.retrieve(asked(shop, "zebra")) == []
    assert not any(SECRET in each.content for each in await provider.retrieve(asked(shop, "hosting signs")))


@pytest.mark.parametrize("root", ["/etc", "..", "/absent"])
async def test_an_out_of_scope_path_is_invalid(provider: McpProvider, root: str) -> None:
    with pytest.raises(RetrievalError) as caught:
        await provider.retrieve(asked(root))
    assert caught.value.category == "invalid_request"


async def test_requests_at_a_time_do_not_mix(provider: McpProvider, shop: Path) -> None:
    prompts = ["refund", "login", "agents", "zebra"] * 5
    alone = {prompt: await provider.retrieve(asked(shop, prompt)) for prompt in prompts[:4]}
    together = await asyncio.gather(*(provider.retrieve(asked(shop, prompt)) for prompt in prompts))
    assert together == [alone[prompt] for prompt in prompts]
    # The retriever picks it.
    assert (await Retriever({"mcp": provider}).retrieve(asked(shop)))[0].path == "docs/refunds.md"


async def test_a_wrong_token_is_unauthorized(targets: dict[str, McpTarget], shop: Path) -> None:
    stranger = McpProvider(replace(targets["http"], token="wrong"))
    with pytest.raises(RetrievalError) as caught:
        await stranger.retrieve(asked(shop))
    await stranger.aclose()
    assert (caught.value.category, "wrong" in str(caught.value.message)) == ("unauthorized", False)
