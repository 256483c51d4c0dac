"""`ctxtui audit --logs`: the table, the JSON, and that nothing of the user's folder is read unasked."""

from pathlib import Path

import pytest

from tests.audit.transcripts import Home, answer, counted, instructions, message, said, skill_listing
from tests.conftest import Asked


@pytest.fixture
def home(sample: Path, tmp_path: Path) -> Home:
    """Eleven starts in the sample project, a day apart."""
    made = Home(tmp_path / "user", sample.resolve())
    files = {made.root / "CLAUDE.md": (sample / "CLAUDE.md").read_text()}
    events = (said("hi"), instructions(files), skill_listing({"idle": "Never."}), answer((3, 9_000, 1)))
    for day in range(1, 12):
        made.claude(*events, day=day)
    return made


def test_the_table_says_what_was_sent_billed_and_never_used(cli: Asked, home: Home) -> None:
    table, err = cli("audit", "--logs", HOME=str(home.place))
    for told in (
        "LOGS  11 starts of claude-code, 2026-09-01 to 2026-09-11; ~/.claude/projects",
        "newest: 9,004 = 3 plain + 9,000 written to the cache + 1 read from it",
        "unused  skill  idle",
        "sent in 11 starts over 10 days, used in 0",
        "no starts of codex found; looked in ~/.codex/sessions",
    ):
        assert told in table
    assert "missing  docs/style.md" in table.replace("   ", "  ")
    assert "only names, counts and digests" in err


def test_json_has_agents_with_starts_files_bills_and_uses(cli: Asked, home: Home) -> None:
    home.codex(message("user", "hi"), counted(500, 100), day=3)
    claude, codex = cli("audit", "--logs", "--json", HOME=str(home.place)).result["logs"]["agents"]
    starts = (claude["id"], claude["starts"], claude["days"], claude["versions"])
    assert starts == ("claude-code", 11, 10, ["2.1.283"])
    assert {row["name"]: row["state"] for row in claude["files"]}["CLAUDE.md"] == "equal"
    assert claude["billed"] == {"low": 9004, "median": 9004, "high": 9004}
    assert claude["costs"][0]["billed"] == {"total": 9004, "input": 3, "cacheWrite": 9000, "cacheRead": 1}
    assert [(use["name"], use["verdict"], use["sentIn"]) for use in claude["uses"]] == [("idle", "unused", 11)]
    assert (codex["starts"], codex["costs"][0]["unexplained"]) == (1, 499)


def test_all_reads_other_projects_too(cli: Asked, home: Home) -> None:
    home.claude(said("hi"), answer((1, 1, 1)), folder=Path("/elsewhere"))
    assert "11 starts of claude-code" in cli("audit", "--logs", HOME=str(home.place)).out
    every = cli("audit", "--logs", "all", HOME=str(home.place)).out
    assert "12 starts of claude-code" in every
    assert "11 of them in this project" in every


def test_without_transcripts_it_says_where_it_looked(cli: Asked, tmp_path: Path) -> None:
    told = cli("audit", "--logs", HOME=str(tmp_path), CODEX_HOME="/nowhere/codex").out
    assert told.splitlines() == [
        "no starts of claude-code found; looked in ~/.claude/projects",
        "no starts of codex found; looked in /nowhere/codex/sessions",
    ]


def test_nothing_reads_transcripts_unasked(cli: Asked, home: Home) -> None:
    for words in (["audit"], ["audit", "--json"], ["audit", "--format", "markdown"], ["ls"]):
        status = int(words[0] == "audit")
        assert cli(*words, HOME=str(home.place), status=status).out == cli(*words, status=status).out, words
