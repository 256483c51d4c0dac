"""`ctxtui audit --logs`: the table, the JSON, and that nothing of the user's folder is read unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.transcripts import Home, answer, counted, instructions, message, said, skill_listing
from tests.conftest import Ctxtui


@pytest.fixture
def home(sample: Path, tmp_path: Path) -> Home:
    """Eleven starts in the sample project, a day apart."""
    made = Home(tmp_path / "user", sample.resolve())
    files = {made.root / "CLAUDE.md": (sample / "CLAUDE.md").read_text()}
    for day in range(1, 12):
        made.claude(
            said("hi"), instructions(files), skill_listing({"idle": "Never."}), answer((3, 9_000, 1)), day=day
        )
    return made


def test_the_table_says_what_was_sent_billed_and_never_used(ctxtui: Ctxtui, home: Home) -> None:
    done = ctxtui("audit", "--logs", HOME=str(home.place))
    assert done.returncode == 0
    table = done.stdout
    assert "LOGS  11 starts of claude-code, 2026-09-01 to 2026-09-11; ~/.claude/projects" in table
    assert "newest: 9,004 = 3 plain + 9,000 written to the cache + 1 read from it" in table
    assert "missing  docs/style.md" in " ".join(table.split(" ")).replace("   ", "  ")
    assert "unused  skill  idle" in table
    assert "sent in 11 starts over 10 days, used in 0" in table
    assert "no starts of codex found; looked in ~/.codex/sessions" in table
    assert "only names, counts and digests" in done.stderr


def test_json_has_agents_with_starts_files_bills_and_uses(ctxtui: Ctxtui, home: Home) -> None:
    home.codex(message("user", "hi"), counted(500, 100), day=3)
    done = ctxtui("audit", "--logs", "--json", HOME=str(home.place))
    claude, codex = json.loads(done.stdout)["result"]["logs"]["agents"]
    assert (claude["id"], claude["starts"], claude["days"], claude["versions"]) == (
        "claude-code",
        11,
        10,
        ["2.1.283"],
    )
    assert {row["name"]: row["state"] for row in claude["files"]}["CLAUDE.md"] == "equal"
    assert claude["billed"] == {"low": 9004, "median": 9004, "high": 9004}
    assert claude["costs"][0]["billed"] == {"total": 9004, "input": 3, "cacheWrite": 9000, "cacheRead": 1}
    assert [(use["name"], use["verdict"], use["sentIn"]) for use in claude["uses"]] == [("idle", "unused", 11)]
    assert (codex["starts"], codex["costs"][0]["unexplained"]) == (1, 499)


def test_all_reads_other_projects_too(ctxtui: Ctxtui, home: Home) -> None:
    home.claude(said("hi"), answer((1, 1, 1)), folder=Path("/elsewhere"))
    assert "11 starts of claude-code" in ctxtui("audit", "--logs", HOME=str(home.place)).stdout
    done = ctxtui("audit", "--logs", "all", HOME=str(home.place))
    assert "12 starts of claude-code" in done.stdout
    assert "11 of them in this project" in done.stdout


def test_without_transcripts_it_says_where_it_looked(ctxtui: Ctxtui, tmp_path: Path) -> None:
    done = ctxtui("audit", "--logs", HOME=str(tmp_path), CODEX_HOME="/nowhere/codex")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "no starts of claude-code found; looked in ~/.claude/projects",
        "no starts of codex found; looked in /nowhere/codex/sessions",
    ]


@pytest.mark.parametrize("words", [["audit"], ["audit", "--json"], ["audit", "--format", "markdown"], ["ls"]])
def test_nothing_reads_transcripts_unasked(ctxtui: Ctxtui, home: Home, words: list[str]) -> None:
    before = ctxtui(*words)
    after = ctxtui(*words, HOME=str(home.place))
    assert (after.stdout, after.returncode) == (before.stdout, before.returncode)
