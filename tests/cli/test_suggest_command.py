"""`ctxtui suggest`: ids to a pipe, a table and JSON on request, and the same picks in one step."""

from tests.conftest import Asked

TASK = "the refund of an order after thirty days"


def test_what_is_suggested_builds_to_the_tokens_that_it_says(cli: Asked) -> None:
    for budget in ("600", "3k"):
        told = cli("suggest", TASK, "--budget", budget).out
        piped = cli("build", "--pick", "-", "--budget", budget, stdin=told)
        assert piped.out == cli("build", "--task", TASK, "--budget", budget).out, budget
        result = cli("suggest", TASK, "--budget", budget, "--json").result
        assert f"{result['tokens']:,} tokens" in piped.err
        assert result["tokens"] <= result["limit"]
        assert [row["id"] for row in result["picks"]] == told.splitlines(), budget
    # The prompt counts too.
    assert "word word" in cli("build", "--task", TASK, "--budget", "500", "--prompt", "word " * 200).out


def test_a_task_comes_from_a_file_or_stdin(cli: Asked) -> None:
    assert cli("suggest", "-", stdin=TASK).out == cli("suggest", TASK).out
    cli("suggest", f"~5 lines about {TASK}")
    assert cli("suggest", "docs/runbook.md").out != cli("suggest", "docs runbook.md").out
    # The table has tokens and reasons.
    assert any("matches refund" in row for row in cli("suggest", "--table", TASK).out.splitlines())


def test_a_budget_without_room_proposes_nothing(cli: Asked) -> None:
    for budget in ("0", "10"):
        out, err = cli("suggest", TASK, "--budget", budget)
        assert (out, f"nothing fits in {budget} tokens" in err) == ("", True)
    assert "nothing found" in cli("suggest", "xylophone quokka").err


def test_an_outline_is_picked_by_its_name(cli: Asked) -> None:
    one = cli("build", "--pick", "src/api/orders.py#(outline)").out
    assert one == cli("build", "--outline", "src/api/orders.py").out
