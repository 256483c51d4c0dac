"""`ctxtui entry`: filters, ids, refusals, and an entry that reaches a payload through a recipe's query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from platformdirs import user_state_path

from tests.conftest import Ctxtui


def test_entries_are_added_and_found(ctxtui: Ctxtui) -> None:
    added = ctxtui("entry", "add", "-", "--category", "lesson", "--tag", "ops", stdin="Never on Fridays.\n")
    assert added.returncode == 0
    id_ = added.stdout.strip()
    assert id_.endswith("-never-on-fridays")
    found = json.loads(ctxtui("entry", "query", "--keywords", "FRIDAYS", "--tag", "ops", "--json", "-q").stdout)
    (entry,) = found["result"]
    assert (entry["entryId"], entry["category"], entry["content"]) == (id_, "Lesson", "Never on Fridays.\n")
    again = ctxtui("entry", "add", "Never on Fridays.", "--category", "Lesson")
    assert again.stdout.strip() == f"{id_}-2"


def test_an_entry_is_replaced_only_if_that_is_said(ctxtui: Ctxtui, sample: Path) -> None:
    words = ("--category", "Lesson", "--id", "keep")
    assert ctxtui("entry", "add", "The first text.", *words).returncode == 0
    file = sample / "notes/keep.md"
    before = file.read_bytes()
    refused = ctxtui("entry", "add", "Another text.", *words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "notes already has an entry 'keep'" in refused.stderr
    assert "--replace" in refused.stderr
    assert file.read_bytes() == before
    done = ctxtui("entry", "add", "Another text.", *words, "--replace")
    assert (done.returncode, done.stdout) == (0, "keep\n")
    assert file.read_text().endswith("---\nAnother text.")
    (kept,) = user_state_path("ctxtui").rglob("*keep.md")
    assert kept.read_bytes() == before
    place = done.stderr.partition("is kept in ")[2].splitlines()[0]
    assert Path(place).expanduser() == kept
    assert ctxtui("entry", "add", "A third.", "--category", "Lesson", "--replace").returncode == 2
    again = ctxtui("entry", "add", "New.", "--category", "Lesson", "--id", "fresh", "--replace")
    assert (again.returncode, "kept" in again.stderr) == (0, False)


def test_all_filters_hold_at_once(ctxtui: Ctxtui) -> None:
    words = ("--category", "Decision", "--tag", "finance", "--reference", "CTX-2026-0312-002", "--limit", "3")
    done = ctxtui("entry", "query", *words)
    assert "refund-window-30-days" in done.stdout
    assert "1 found in notes" in done.stderr
    assert ctxtui("entry", "query", *words, "--keywords", "nowhere").stdout == ""
    assert ctxtui("entry", "query", "--limit", "0").stdout == ""
    assert "problem: docs/style.md: no `entryId`" in ctxtui("entry", "query", "--in", "docs").stderr
    gone = ctxtui("entry", "query", "--in", "note")
    assert (gone.returncode, "no entries directory note\n  known: notes" in gone.stderr) == (3, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("query", "--category", "Decison"), "did you mean Decision"),
        (("query", "--reference", "CTX-1"), "not a reference code"),
        (("query", "--limit", "-1"), "negative"),
        (("add", " ", "--category", "Lesson"), "needs text"),
        (("add", "x", "--category", "Lesson", "--created", "yesterday"), "is not a time"),
        (("add", "x", "--category", "Lesson", "--created", "2026-01-01T00:00:00"), "no UTC offset"),
        (("add", "x", "--category", "Lesson", "--created", "0001-01-01T00:00:00+05:00"), "is not a time"),
        (("add", "x", "--category", "Lesson", "--in", "../out"), "leads out of the project"),
    ],
)
def test_refusals(ctxtui: Ctxtui, words: tuple[str, ...], said: str) -> None:
    done = ctxtui("entry", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_secret_in_an_entry_is_redacted_in_what_a_recipe_builds(ctxtui: Ctxtui, sample: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLF"
    ctxtui("entry", "add", f"The old key {key} is gone.", "--category", "Lesson", "--tag", "keys", "--id", "old-key")
    recipe = sample / ".ctxtui/recipes/keys.yaml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text(
        "picks:\n- AGENTS.md\n- query: keys\n  context:\n    filter: {tags: [keys], limit: 3}\n    redact: {keys: [author]}\n"
    )
    done = ctxtui("build", "keys")
    assert done.returncode == 0, done.stderr
    assert "The old key [redacted: aws-key] is gone." in done.stdout
    assert key not in done.stdout
    assert ctxtui("check", "keys").returncode == 0


def test_a_query_that_fails_is_named_and_exits_3(ctxtui: Ctxtui, sample: Path) -> None:
    recipe = sample / ".ctxtui/recipes/bad.yaml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text("picks:\n- AGENTS.md\n- query: q\n  entries: {}\n  from: docs/runbook.md\n")
    done = ctxtui("build", "bad")
    assert done.returncode == 3
    assert "query:q" in done.stderr
    assert ctxtui("check", "bad").returncode == 1


def _redacting(sample: Path, pattern: str) -> None:
    recipe = sample / ".ctxtui/recipes/long.yaml"
    recipe.parent.mkdir(parents=True)
    redact = f"    redact:\n      patterns:\n      - word\n      - '{pattern}'\n"
    recipe.write_text(f"picks:\n- AGENTS.md\n- query: long\n  context:\n    filter: {{tags: [long]}}\n{redact}")


def test_a_recipe_whose_pattern_backtracks_is_built_at_once(ctxtui: Ctxtui, sample: Path) -> None:
    ctxtui("entry", "add", "a" * 44 + " ends", "--category", "Lesson", "--tag", "long", "--id", "long")
    _redacting(sample, "(a+)+$")
    assert ctxtui("check", "long").returncode == 0
    done = ctxtui("build", "long")
    assert done.returncode == 0, done.stderr
    assert "a" * 44 + " ends" in done.stdout


def test_a_pattern_with_lookaround_is_refused_with_its_line(ctxtui: Ctxtui, sample: Path) -> None:
    _redacting(sample, "(?<=key )[a-z]+")
    for command in ("check", "build"):
        done = ctxtui(command, "long")
        assert (done.returncode, done.stdout) == (2, "")
        assert "long.yaml:9: `picks[1].context.redact.patterns[1]`: not a regular expression of RE2" in done.stderr
        assert "look-behind and named groups `(?<…)` are not part of RE2" in done.stderr


def test_a_pattern_that_takes_too_long_fails_its_query(ctxtui: Ctxtui, sample: Path) -> None:
    ctxtui("entry", "add", "-", "--category", "Lesson", "--tag", "long", "--id", "long", stdin="a" * 80_000)
    _redacting(sample, "a.*b|a")
    done = ctxtui("build", "long")
    assert done.returncode == 3
    assert "takes too long on a text of 80,0" in done.stderr
    assert "aaaa" not in done.stdout
