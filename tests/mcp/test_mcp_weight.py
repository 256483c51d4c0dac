"""The weight of our own server: over stdio and HTTP the same, and less than 1,600 tokens."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxtui.audit.weigh.places import deferral_of
from ctxtui.audit.weigh.server_tools import list_servers
from ctxtui.audit.weigh.types import Launch, Price, Server, ServerListing
from ctxtui.audit.weigh.weigh import price
from ctxtui.core import ContextError, get_counter
from ctxtui.mcp.server import TOOLS
from tests.conftest import REPOSITORY
from tests.mcp.mcp_helpers import ASKED, FILES, TOKEN, environment, http_server, over_stdio, words, write

MOST = 1_600
AGENTS = ("claude-code", "codex", "cursor", "copilot-cli", "opencode", "gemini-cli")
TASK = "refund single lines of an order before the window closes"
ANSWERS = (
    ("search: five passages for a prompt", "retrieve_context", {**ASKED, "prompt": "how long is the refund window"}),
    ("search: catalog files by a word", "search", {"query": "testing"}),
    ("suggest: picks for a task within 900 tokens", "suggest_context", {"task": TASK, "budget": 900}),
    ("suggest: the same within 4,000", "suggest_context", {"task": TASK, "budget": 4_000}),
    ("outline of a file", "build_payload", {"outline": ["src/api/orders.py"]}),
    ("read a function", "build_payload", {"picks": ["src/api/orders.py#cancel_order"]}),
    ("read a file", "build_payload", {"picks": ["src/api/orders.py"]}),
)
# The tokens of all files of the sample project.
WHOLE = 26_000
PAGE = REPOSITORY / "ctxtui" / "docs" / "retrieval-and-mcp.md"


@pytest.fixture(scope="module")
def listing(tmp_path_factory: pytest.TempPathFactory) -> ServerListing:
    """What a real server lists over stdio, with the tool that stores, which has the most to say."""
    root = write(tmp_path_factory.mktemp("shop"), FILES)
    home = tmp_path_factory.mktemp("home")
    command = tuple(words(path=root, allow_store=True))
    (found,) = list_servers([Launch(command, folder=str(root), env=environment(home))])
    assert isinstance(found, ServerListing), found
    return found


@pytest.fixture(scope="module")
def url(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over HTTP that wants a token."""
    home = tmp_path_factory.mktemp("home")
    (home / "token").write_text(TOKEN)
    with http_server(home, path=shop, token_file=home / "token", allow_store=True) as (url, _):
        yield url


def prices(listing: ServerListing) -> tuple[Price, ...]:
    """What the server costs agents that read it in different ways."""
    server = Server("ctxtui", AGENTS, ".mcp.json", "mcpServers", 1, "project", Launch(("ctxtui",)), "")
    return price(server, listing, {agent: deferral_of(agent) for agent in AGENTS}, get_counter()).prices


def test_it_stays_small_for_every_agent(listing: ServerListing) -> None:
    assert len(listing.tools) == len(TOOLS) + 1
    for each in prices(listing):
        assert 0 < each.start <= each.always < MOST
    assert prices(listing)[0].start < MOST / 5


def test_the_page_shows_its_prices(listing: ServerListing, request: pytest.FixtureRequest) -> None:
    """`--rewrite-readme` writes them."""
    rows = [f"| {each.agent} | {each.start:,} | {each.loaded:,} | {each.always:,} |" for each in prices(listing)]
    _compare("prices", ["| agent | at the start | loaded | always loaded |", "|---|---:|---:|---:|", *rows], request)


def test_the_page_shows_what_answers_cost(sample: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rows = ["| an answer | tool | tokens |", "|---|---|---:|"]
    with over_stdio(tmp_path / "home", path=sample) as session:
        for what, tool, arguments in ANSWERS:
            # Answers name the folder, which has another path at every run.
            answer = session.call(tool, **arguments).text.replace(str(sample.resolve()), "/shop")
            tokens = get_counter().count(answer)
            assert 0 < tokens < WHOLE
            rows.append(f"| {what} | `{tool}` | {tokens:,} |")
    _compare("answers", rows, request)


def _compare(name: str, rows: list[str], request: pytest.FixtureRequest) -> None:
    """Hold a table against the one of the page, or write it there if asked to."""
    before, begin, rest = PAGE.read_text("utf-8").partition(f"<!-- begin {name} -->\n")
    shown, end, after = rest.partition(f"<!-- end {name} -->")
    table = "\n".join(["", *rows, "", ""])
    assert begin
    assert end
    if request.config.getoption("--rewrite-readme"):
        PAGE.write_text(f"{before}{begin}{table}{end}{after}", "utf-8")
        shown = table
    assert shown == table


def test_over_http_it_is_the_same(listing: ServerListing, url: str) -> None:
    (found,) = list_servers([Launch((), url, "http", headers={"Authorization": f"Bearer {TOKEN}"})])
    assert isinstance(found, ServerListing), found
    assert (found.tools, found.instructions, found.name) == (listing.tools, listing.instructions, listing.name)
    assert found.resources


def test_a_bearer_token_comes_from_the_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch((), url, "http", token_env="SHOP_TOKEN")
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    assert isinstance(list_servers([launch])[0], ServerListing)
    monkeypatch.delenv("SHOP_TOKEN")
    assert "SHOP_TOKEN is empty or not set" in refused(launch).message


def refused(launch: Launch) -> ContextError:
    (found,) = list_servers([launch], seconds=10)
    assert isinstance(found, ContextError)
    return found


def test_without_the_token_it_refuses(url: str) -> None:
    error = refused(Launch((), url, "http"))
    assert (error.category, TOKEN in error.message) == ("unauthorized", False)
    assert refused(Launch((), "http://127.0.0.1:9/mcp", "http")).category == "unavailable"
