"""`ctxtui retrieve` and `ctxtui mcp` as processes: the contract's response, and refusals."""

import json
import sys
from pathlib import Path

import pytest

from ctxtui.session.saved.config import user_file
from tests.conftest import Asked

MCP = ("--provider", "mcp")


def test_the_response_is_the_contracts(cli: Asked) -> None:
    snippets = cli("retrieve", "how long is the refund window", "--json", "-q", "--limit", "3").result
    assert 0 < len(snippets) <= 3
    assert set(snippets[0]) == {"id", "provider", "path", "source", "content", "score"}
    scores = [snippet["score"] for snippet in snippets]
    assert scores == sorted(scores, reverse=True)
    assert {snippet["provider"] for snippet in snippets} == {"filesystem"}
    out, err = cli("retrieve", "zzzzqqqq")
    assert (out, "0 found" in err) == ("", True)


def test_a_server_answers_the_same(cli: Asked, sample: Path) -> None:
    words = ("retrieve", "refund window", "--json", "-q")
    server = f"{sys.executable} -m ctxtui.cli mcp {sample} -q"
    through = cli(*words, *MCP, "--server", server, "--timeout", "50").result
    assert [snippet["path"] for snippet in through] == [snippet["path"] for snippet in cli(*words).result]


def test_refusals(cli: Asked, sample: Path) -> None:
    cli("retrieve", "x", "--limit", "0", status=2)
    for more in (("--timeout", "-1"), ("--timeout", "nan"), ("--timeout", "-1", *MCP)):
        assert f"--timeout cannot be {more[1]}" in cli("retrieve", "x", *more, status=2).err
    assert "no MCP server is configured" in cli("retrieve", "x", *MCP, status=2).err
    assert "Traceback" not in cli("retrieve", "x", *MCP, "--server", "/nowhere/engine", status=4).err
    # A project cannot name a server.
    (sample / "ctxtui.toml").write_text('[mcp.engine]\ncommand = "touch pwned"\n')
    assert "a project cannot set it" in cli("retrieve", "x", *MCP, status=2).err
    assert not (sample / "pwned").exists()


ENGINE = Path(__file__).parents[1] / "retrieval" / "mcp_engine.py"


def _configured(behavior: str, timeout: float | None) -> None:
    """An engine of the user's own configuration."""
    place = user_file()
    place.parent.mkdir(parents=True, exist_ok=True)
    words = json.dumps([sys.executable, str(ENGINE), behavior])
    place.write_text(f"[mcp.engine]\ncommand = {words}\n" + (f"timeout = {timeout}\n" if timeout else ""))


@pytest.mark.parametrize(
    ("timeout", "option", "status"), [(0.9, (), 4), (None, (), 0), (30, ("--timeout", "0.9"), 4)]
)
def test_the_option_wins_over_the_configured_timeout_and_that_over_the_default(
    cli: Asked, timeout: float | None, option: tuple[str, ...], status: int
) -> None:
    """The engine takes 1.2 seconds to answer."""
    _configured("slow", timeout)
    err = cli("retrieve", "alpha", *MCP, "-q", *option, status=status).err
    assert ("no answer within 0.9 s" in err) == (status == 4)


def test_scores_outside_the_contract_are_left_out_and_told(cli: Asked) -> None:
    _configured("scores", 30)
    answer = cli("retrieve", "alpha", *MCP, "--json", "-q")
    assert [snippet["score"] for snippet in answer.result] == [1, 0]
    told = [notice["message"] for notice in answer.notices if notice["code"] == "engine-snippet"]
    assert [text.partition(" is left out")[0] for text in told] == [f"snippet {place}" for place in range(1, 7)]
    assert sum("outside 0..1" in text for text in told) == 3
    _configured("scores-outside", 30)
    assert "breaks the contract" in cli("retrieve", "alpha", *MCP, "--json", "-q", status=4).err
