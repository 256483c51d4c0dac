"""`ctxtui entry`: filters, ids, refusals, and an entry that reaches a payload through a recipe's query."""

from pathlib import Path

from platformdirs import user_state_path

from tests.cases import cases
from tests.cli.conftest import recipe
from tests.cli.streams import Refused
from tests.conftest import Asked

LESSON = ("--category", "Lesson")


def test_entries_are_added_and_found(cli: Asked) -> None:
    words = ("entry", "add", "-", "--category", "lesson", "--tag", "ops")
    id_ = cli(*words, stdin="Never on Fridays.\n").out.strip()
    assert id_.endswith("-never-on-fridays")
    (entry,) = cli("entry", "query", "--keywords", "FRIDAYS", "--tag", "ops", "--json", "-q").result
    assert (entry["entryId"], entry["category"], entry["content"]) == (id_, "Lesson", "Never on Fridays.\n")
    assert cli("entry", "add", "Never on Fridays.", *LESSON).out.strip() == f"{id_}-2"


def test_an_entry_is_replaced_only_if_that_is_said(cli: Asked, refused: Refused, sample: Path) -> None:
    words = (*LESSON, "--id", "keep")
    cli("entry", "add", "The first text.", *words)
    file = sample / "notes/keep.md"
    before = file.read_bytes()
    err = refused("entry", "add", "Another text.", *words)
    assert "notes already has an entry 'keep'" in err
    assert "--replace" in err
    assert file.read_bytes() == before
    out, err = cli("entry", "add", "Another text.", *words, "--replace")
    assert out == "keep\n"
    assert file.read_text().endswith("---\nAnother text.")
    (kept,) = user_state_path("ctxtui").rglob("*keep.md")
    assert kept.read_bytes() == before
    assert Path(err.partition("is kept in ")[2].splitlines()[0]).expanduser() == kept
    cli("entry", "add", "A third.", *LESSON, "--replace", status=2)
    assert "kept" not in cli("entry", "add", "New.", *LESSON, "--id", "fresh", "--replace").err


def test_all_filters_hold_at_once(cli: Asked) -> None:
    words = ("--category", "Decision", "--tag", "finance", "--reference", "CTX-2026-0312-002", "--limit", "3")
    out, err = cli("entry", "query", *words)
    assert "refund-window-30-days" in out
    assert "1 found in notes" in err
    assert cli("entry", "query", *words, "--keywords", "nowhere").out == ""
    assert cli("entry", "query", "--limit", "0").out == ""
    assert "problem: docs/style.md: no `entryId`" in cli("entry", "query", "--in", "docs").err
    assert "no entries directory note\n  known: notes" in cli("entry", "query", "--in", "note", status=3).err


@cases(
    ("words", "said"),
    [
        (("query", "--category", "Decison"), "did you mean Decision"),
        (("query", "--reference", "CTX-1"), "not a reference code"),
        (("query", "--limit", "-1"), "negative"),
        (("add", " ", *LESSON), "needs text"),
        (("add", "x", *LESSON, "--created", "yesterday"), "is not a time"),
        (("add", "x", *LESSON, "--created", "2026-01-01T00:00:00"), "no UTC offset"),
        (("add", "x", *LESSON, "--created", "0001-01-01T00:00:00+05:00"), "is not a time"),
        (("add", "x", *LESSON, "--in", "../out"), "leads out of the project"),
    ],
)
def test_refusals(refused: Refused, words: tuple[str, ...], said: str) -> None:
    assert said in refused("entry", *words)


def test_a_secret_in_an_entry_is_redacted_in_what_a_recipe_builds(cli: Asked, sample: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLF"
    cli("entry", "add", f"The old key {key} is gone.", *LESSON, "--tag", "keys", "--id", "old-key")
    context = "    filter: {tags: [keys], limit: 3}\n    redact: {keys: [author]}\n"
    recipe(sample, "keys", f"picks:\n- AGENTS.md\n- query: keys\n  context:\n{context}")
    built = cli("build", "keys").out
    assert "The old key [redacted: aws-key] is gone." in built
    assert key not in built
    cli("check", "keys")


def test_a_query_that_fails_is_named_and_exits_3(cli: Asked, sample: Path) -> None:
    recipe(sample, "bad", "picks:\n- AGENTS.md\n- query: q\n  entries: {}\n  from: docs/runbook.md\n")
    assert "query:q" in cli("build", "bad", status=3).err
    cli("check", "bad", status=1)


def _redacting(sample: Path, pattern: str) -> None:
    redact = f"    redact:\n      patterns:\n      - word\n      - '{pattern}'\n"
    query = f"- query: long\n  context:\n    filter: {{tags: [long]}}\n{redact}"
    recipe(sample, "long", f"picks:\n- AGENTS.md\n{query}")


LONG = (*LESSON, "--tag", "long", "--id", "long")


def test_a_recipe_whose_pattern_backtracks_is_built_at_once(cli: Asked, sample: Path) -> None:
    cli("entry", "add", "a" * 44 + " ends", *LONG)
    _redacting(sample, "(a+)+$")
    cli("check", "long")
    assert "a" * 44 + " ends" in cli("build", "long").out


def test_a_pattern_with_lookaround_is_refused_with_its_line(refused: Refused, sample: Path) -> None:
    _redacting(sample, "(?<=key )[a-z]+")
    for command in ("check", "build"):
        err = refused(command, "long")
        assert "long.yaml:9: `picks[1].context.redact.patterns[1]`: not a regular expression of RE2" in err
        assert "look-behind and named groups `(?<…)` are not part of RE2" in err


def test_a_pattern_that_takes_too_long_fails_its_query(cli: Asked, sample: Path) -> None:
    cli("entry", "add", "-", *LONG, stdin="a" * 80_000)
    _redacting(sample, "a.*b|a")
    out, err = cli("build", "long", status=3)
    assert ("takes too long on a text of 80,0" in err, "aaaa" in out) == (True, False)
