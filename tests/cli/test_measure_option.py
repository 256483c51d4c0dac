"""`build --measure`: what is sent, and that nothing is sent without a yes."""

from __future__ import annotations

import json

from tests.conftest import Ctxtui
from tests.vendors import serving

BUILD = ("build", "--pick", "AGENTS.md", "--model", "claude-opus-5", "--measure")


def test_with_a_yes_the_vendors_number_is_used(ctxtui: Ctxtui) -> None:
    with serving() as vendors:
        vendors.answer = lambda _path: (200, {}, b'{"input_tokens": 861}')
        done = ctxtui(*BUILD, "--yes", **vendors.environment(ANTHROPIC_API_KEY="key-1"))
        assert done.returncode == 0, done.stderr
        assert "861 tokens (claude-opus-5, measured)" in done.stderr
        assert "ANTHROPIC_API_KEY" in done.stderr
        assert vendors.seen[0][2]["messages"][0]["content"] == done.stdout
        again = ctxtui(*BUILD[:-1], "--json", **vendors.environment())
        whole = json.loads(again.stdout)["result"]["whole"]
        assert (whole["tokens"], whole["label"]) == (861, "measured")
        assert len(vendors.seen) == 1


def test_without_a_terminal_to_ask_at_nothing_is_sent(ctxtui: Ctxtui) -> None:
    with serving() as vendors:
        done = ctxtui(*BUILD, **vendors.environment(ANTHROPIC_API_KEY="key-1"))
        assert done.returncode == 2
        assert "--yes" in done.stderr
        assert not vendors.seen


def test_no_key_is_said(ctxtui: Ctxtui) -> None:
    done = ctxtui(*BUILD, "--yes", ANTHROPIC_API_KEY="")
    assert done.returncode == 4, done
    assert "set ANTHROPIC_API_KEY" in done.stderr
