"""`ctxtui suggest`: ids to a pipe, a table and JSON on request, and the same picks in one step."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Ctxtui

TASK = "the refund of an order after thirty days"


@pytest.mark.parametrize("budget", ["600", "3k"])
def test_what_is_suggested_builds_to_the_tokens_that_it_says(ctxtui: Ctxtui, budget: str) -> None:
    told = ctxtui("suggest", TASK, "--budget", budget)
    piped = ctxtui("build", "--pick", "-", "--budget", budget, stdin=told.stdout)
    at_once = ctxtui("build", "--task", TASK, "--budget", budget)
    assert (told.returncode, piped.returncode, at_once.returncode) == (0, 0, 0)
    assert piped.stdout == at_once.stdout
    result = json.loads(ctxtui("suggest", TASK, "--budget", budget, "--json").stdout)["result"]
    assert f"{result['tokens']:,} tokens" in piped.stderr
    assert result["tokens"] <= result["limit"]
    assert [row["id"] for row in result["picks"]] == told.stdout.splitlines()


def test_the_table_has_tokens_and_reasons(ctxtui: Ctxtui) -> None:
    rows = ctxtui("suggest", "--table", TASK).stdout.splitlines()
    assert any("matches refund" in row for row in rows)


def test_a_task_comes_from_a_file_or_stdin(ctxtui: Ctxtui) -> None:
    said = ctxtui("suggest", TASK).stdout
    assert ctxtui("suggest", "-", stdin=TASK).stdout == said
    assert ctxtui("suggest", f"~5 lines about {TASK}").returncode == 0
    assert ctxtui("suggest", "docs/runbook.md").stdout != ctxtui("suggest", "docs runbook.md").stdout


def test_a_budget_without_room_proposes_nothing(ctxtui: Ctxtui) -> None:
    for budget in ("0", "10"):
        done = ctxtui("suggest", TASK, "--budget", budget)
        assert (done.returncode, done.stdout) == (0, "")
        assert f"nothing fits in {budget} tokens" in done.stderr
    assert "nothing found" in ctxtui("suggest", "xylophone quokka").stderr


def test_the_prompt_counts_too(ctxtui: Ctxtui) -> None:
    built = ctxtui("build", "--task", TASK, "--budget", "500", "--prompt", "word " * 200)
    assert built.returncode == 0
    assert "word word" in built.stdout


def test_an_outline_is_picked_by_its_name(ctxtui: Ctxtui) -> None:
    one = ctxtui("build", "--pick", "src/api/orders.py#(outline)")
    assert one.stdout == ctxtui("build", "--outline", "src/api/orders.py").stdout
    assert one.returncode == 0
