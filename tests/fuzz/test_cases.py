"""Saved cases stay mended; the harness finds a planted bug, makes it small and saves it; no door is empty."""

import os
import time
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import cases, documents, judging, projects
from tests.fuzz.door import Check, Door
from tests.fuzz.doors import DOORS
from tests.fuzz.judging import Found, judge
from tests.fuzz.projects import Files, Link, write
from tests.fuzz.work import Batch, Share, batches, make, smallest

SEED = 1


@pytest.mark.parametrize("place", [pytest.param(place, id=place.name) for place in cases.saved()])
def test_a_saved_case_stays_mended(place: Path, tmp_path: Path) -> None:
    door, given = cases.load(place)
    crash = judge(DOORS[door], given, tmp_path / "project").crash
    assert crash is None, crash.trace


@pytest.mark.parametrize("name", DOORS)
def test_a_door_checks_something(name: str, tmp_path: Path) -> None:
    door = DOORS[name]
    tries = 3 if door.is_project else 20
    made = (make(door, SEED, at) for at in count())
    inputs = (each for each in made if isinstance(each, str) or not any(isinstance(it, Link) for it in each.values()))
    outcomes = [judge(door, given, tmp_path / str(at)) for at, given in enumerate(islice(inputs, tries))]
    assert sum(outcome.checks for outcome in outcomes) >= tries // 2
    assert not list(tmp_path.iterdir())


def _planted_in_a_project(files: Files, check: Check) -> None:
    root = write(check.folder, files)
    has_heading = any(b"#" in path.read_bytes() for path in root.rglob("*.md") if path.is_file())
    if (root / ".context").is_dir() and has_heading:
        raise LookupError("the planted bug")


def _first_crash(door: Door, folder: Path) -> Batch:
    share = Share(SEED, 0, 1, folder, {})
    running = batches({door.name: door}, share, time.monotonic() + 60, lambda _name, _at: None)
    return next(batch for batch in running if batch.found)


def test_a_planted_bug_is_found_made_small_and_saved(tmp_path: Path) -> None:
    door = Door("planted", documents.document, lambda text, check: check("refund" not in text, "the planted bug"))
    (found,) = _first_crash(door, tmp_path).found
    assert (found.given, found.crash.signature) == ("refund", "broken: the planted bug")
    assert judge(door, make(door, SEED, found.at), tmp_path / "x").crash is not None
    assert cases.load(cases.save("planted", found.given, tmp_path)) == ("planted", "refund")


def test_a_planted_bug_of_a_project_is_made_small_file_by_file(tmp_path: Path) -> None:
    door = Door("planted", projects.context, _planted_in_a_project, 2_000, True)
    (found,) = _first_crash(door, tmp_path).found
    assert found.crash.signature == "LookupError in the test itself"
    (content,) = found.given.values()  # type: ignore[union-attr]
    assert content == b"#"


def test_a_crash_is_not_mistaken_for_another_while_it_is_made_small(tmp_path: Path) -> None:
    def two_bugs(text: str, check: Check) -> None:
        check("b" not in text or "a" not in text, "both")
        check("b" not in text, "one alone")

    door = Door("planted", documents.document, two_bugs)
    crash = judge(door, "xaxbx", tmp_path / "x").crash
    assert crash
    assert crash.signature == "broken: both"
    assert smallest(door, "xaxbx", Found(crash, 0, ""), tmp_path / "x").given == "ab"


def test_a_case_is_read_as_it_was_saved(tmp_path: Path) -> None:
    files: Files = {"a\nb.md": b"\xff\xfe\x00x", "é.md": "é\r".encode(), "x": Link("/dev/zero"), "y": Link()}
    for given in ("a\r\nb\x00\ud800 é\u2028", files):
        assert cases.load(cases.save("some-door", given, tmp_path)) == ("some-door", given)


def test_an_input_depends_on_seed_door_and_number_alone() -> None:
    for door in DOORS.values():
        first = [make(door, SEED, at) for at in range(3)]
        assert first == [make(door, SEED, at) for at in range(3)]
        assert first != [make(door, SEED + 1, at) for at in range(3)]


def test_what_waits_for_ever_is_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "TICK_SECONDS", 0.02)

    def waits(files: Files, check: Check) -> None:
        (write(check.folder, files) / "x").read_bytes()

    crash = judge(Door("planted", projects.project, waits, is_project=True), {"x": Link()}, tmp_path / "p").crash
    assert crash
    assert crash.signature == "waits"


def test_a_project_is_written_with_links_and_fifos_and_without_impossible_names(tmp_path: Path) -> None:
    files: Files = {"a.md": b"1", "a.md/b.md": b"2", "\0": b"3", "n" * 300: b"4", "up": Link(".."), "pipe": Link()}
    root = write(tmp_path / "p", files)
    assert sorted(os.listdir(root)) == ["a.md", "pipe", "up"]
    assert (root / "up").is_symlink()
    assert (root / "pipe").is_fifo()


def test_generated_projects_have_every_source() -> None:
    names = {name for at in range(60) for name in projects.project(Random(at))}
    wanted = ("AGENTS.md", ".context/TASKS.md", "library/python/index.md", "notes/0.md", "ctxtui.toml")
    assert {*wanted, ".ctxtui/recipes/r0.yaml"} <= names
