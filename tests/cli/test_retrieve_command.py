"""`ctxtui retrieve` and `ctxtui mcp` as processes: the contract's response, and refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ctxtui.session.saved.config import user_file
from tests.conftest import Ctxtui


def test_the_response_is_the_contracts(ctxtui: Ctxtui) -> None:
    done = ctxtui("retrieve", "how long is the refund window", "--json", "-q", "--limit", "3")
    assert done.returncode == 0, done.stderr
    snippets = json.loads(done.stdout)["result"]
    assert 0 < len(snippets) <= 3
    assert set(snippets[0]) == {"id", "provider", "path", "source", "content", "score"}
    scores = [snippet["score"] for snippet in snippets]
    assert scores == sorted(scores, reverse=True)
    assert {snippet["provider"] for snippet in snippets} == {"filesystem"}


def test_nothing_found_is_no_error(ctxtui: Ctxtui) -> None:
    done = ctxtui("retrieve", "zzzzqqqq")
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 found" in done.stderr


def test_a_server_answers_the_same(ctxtui: Ctxtui, sample: Path) -> None:
    server = f"{sys.executable} -m ctxtui.cli mcp {sample} -q"
    done = ctxtui(
        "retrieve", "refund window", "--provider", "mcp", "--server", server, "--timeout", "50", "--json", "-q"
    )
    assert done.returncode == 0, done.stderr
    through = json.loads(done.stdout)["result"]
    direct = json.loads(ctxtui("retrieve", "refund window", "--json", "-q").stdout)["result"]
    assert [snippet["path"] for snippet in through] == [snippet["path"] for snippet in direct]


def test_refusals(ctxtui: Ctxtui) -> None:
    assert ctxtui("retrieve", "x", "--limit", "0").returncode == 2
    for more in (("--timeout", "-1"), ("--timeout", "nan"), ("--timeout", "-1", "--provider", "mcp")):
        refused = ctxtui("retrieve", "x", *more)
        assert refused.returncode == 2
        assert f"--timeout cannot be {more[1]}" in refused.stderr
    unknown = ctxtui("retrieve", "x", "--provider", "mcp")
    assert unknown.returncode == 2
    assert "no MCP server is configured" in unknown.stderr
    gone = ctxtui("retrieve", "x", "--provider", "mcp", "--server", "/nowhere/engine")
    assert gone.returncode == 4
    assert "Traceback" not in gone.stderr


def test_a_project_cannot_name_a_server(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "ctxtui.toml").write_text('[mcp.engine]\ncommand = "touch pwned"\n')
    done = ctxtui("retrieve", "x", "--provider", "mcp")
    assert done.returncode == 2
    assert "a project cannot set it" in done.stderr
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
    ctxtui: Ctxtui, timeout: float | None, option: tuple[str, ...], status: int
) -> None:
    """The engine takes 1.2 seconds to answer."""
    _configured("slow", timeout)
    done = ctxtui("retrieve", "alpha", "--provider", "mcp", "-q", *option)
    assert done.returncode == status, done.stderr
    assert ("no answer within 0.9 s" in done.stderr) == (status == 4)


def test_scores_outside_the_contract_are_left_out_and_told(ctxtui: Ctxtui) -> None:
    _configured("scores", 30)
    done = ctxtui("retrieve", "alpha", "--provider", "mcp", "--json", "-q")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [snippet["score"] for snippet in answer["result"]] == [1, 0]
    told = [notice["message"] for notice in answer["notices"] if notice["code"] == "engine-snippet"]
    assert [text.partition(" is left out")[0] for text in told] == [f"snippet {place}" for place in range(1, 7)]
    assert sum("outside 0..1" in text for text in told) == 3
    _configured("scores-outside", 30)
    refused = ctxtui("retrieve", "alpha", "--provider", "mcp", "--json", "-q")
    assert refused.returncode == 4
    assert "breaks the contract" in refused.stderr
