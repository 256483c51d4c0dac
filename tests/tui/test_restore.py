"""Restoring: the last selection comes back, honestly, and two apps leave each other's alone."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from ctxtui.session import autosave
from tests.tui.acting import answer, eventually, is_unharmed, mark, messages, meter, paste, tree_line
from tests.tui.conftest import Run


def state_files() -> list[Path]:
    """The selections kept in the state folder."""
    return list(Path(os.environ["XDG_STATE_HOME"]).rglob("*.json"))


async def test_the_last_selection_comes_back(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("space")
        await driver.go_to(".context/TASKS#in-progress")
        await driver.press("space", "p")
        await driver.press("i")
        await paste(driver, "Why?")
        await driver.press("f2", "F")
        await answer(driver, "b", "9k")
        before = meter(driver)
    async with run(sample, restore=True) as driver:
        assert meter(driver) == before
        assert " xml " in driver.text().split("\n")[0]
        assert "restored 2 picks" in messages(driver)
        assert "press u to start with none" in messages(driver)
        assert mark(driver, "AGENTS.md") == "●"
        assert driver.screen.view.tab != "start"
        await driver.press("u")
        assert meter(driver).out == 0
        assert mark(driver, "AGENTS.md") == "○"
        await driver.press("U")
        assert meter(driver) == before


async def test_what_changed_or_went_is_said(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        for row in ("AGENTS.md", "CLAUDE.md", ".context/TASKS#in-progress"):
            await driver.go_to(row)
            await driver.press("space")
    (sample / "AGENTS.md").write_text("# Changed\n")
    (sample / "CLAUDE.md").unlink()
    (sample / ".context/TASKS.md").write_text("# Tasks\n\n## Later\n\nx\n")
    async with run(sample, restore=True) as driver:
        assert "restored 3 picks, 2 changed, 2 missing" in messages(driver)
        assert "changed" in tree_line(driver, "AGENTS.md")
        assert driver.text().count("missing") >= 2


async def test_a_clean_recipe_is_not_dirty_after_restoring(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
        await answer(driver, "w", "review")
        assert "review*" not in driver.text()
    async with run(sample, (80, 24), restore=True) as driver:
        assert "recipe review" in driver.text()
        assert "review*" not in driver.text()
        await driver.press("down", "space")
        assert "review*" in driver.text()


async def test_emptied_by_hand_stays_empty(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space", "space")
    async with run(sample, (80, 24), restore=True) as driver:
        assert meter(driver).out == 0
        assert messages(driver) == ""


async def test_two_apps_keep_their_own_selections(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as one, run(sample, (80, 24)) as two:
        await one.press("space")
        await two.press("down", "space")
        await one.press("down", "p")
    kept = state_files()
    texts = [file.read_text() for file in kept]
    assert len(kept) == 2
    assert sorted(text.count('"id":"AGENTS.md"') for text in texts) == [0, 1]
    assert [text.count('"id":"CLAUDE.md"') for text in texts] == [1, 1]
    async with run(sample, (80, 24), restore=True) as driver:
        assert "restored 2 picks" in messages(driver)


async def test_old_selections_are_cleaned_up(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
    (kept,) = state_files()
    ended = subprocess.Popen(["true"])
    ended.wait()
    for number in range(20):
        (kept.parent / f"{number}-{ended.pid}.json").write_bytes(kept.read_bytes())
    async with run(sample, (80, 24)) as driver:
        await driver.press("down", "space")
    assert len(state_files()) < 20


async def test_a_slow_disk_does_not_bring_back_an_older_selection(
    sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of two saves takes longer than the second."""
    write, second_written, calls = autosave.write_atomic, threading.Event(), []

    def slow(path: Path, data: bytes, mode: int | None = None) -> None:
        calls.append(data)
        if len(calls) == 1:
            second_written.wait(1)
        write(path, data, mode)
        if len(calls) > 1:
            second_written.set()

    monkeypatch.setattr(autosave, "write_atomic", slow)
    async with run(sample, (80, 24)) as driver:
        await driver.pilot.press("space", "down", "space")
        await driver.settle()
        await eventually(driver, lambda: len(calls) > 1 and second_written.is_set())
    async with run(sample, (80, 24), restore=True) as driver:
        assert "restored 2 picks" in messages(driver)


async def test_a_damaged_selection_is_told_and_kept_aside(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
    (kept,) = state_files()
    good = kept.read_bytes()
    bad = (
        b"",
        b"{\n",
        b"\xff\xfe",
        good[: len(good) // 2],
        b'{"selection": {"picks": [[1]]}}',
        b'[{"picks": ["CLAUDE.md"]}]',
        b'{"selection": ["CLAUDE.md"]}',
        b'{"selection": {"picks": ["CLAUDE.md"]',
    )
    for number, data in enumerate(bad):
        (kept.parent / f"{10**20 + number}-1.json").write_bytes(data)
    async with run(sample, (80, 24), restore=True) as driver:
        assert is_unharmed(driver)
        assert "restored an earlier selection: 1 pick" in messages(driver)
        newest = kept.parent / f"{10**20 + len(bad) - 1}-1.damaged"
        assert f"the last selection could not be read; it is kept as {newest}" in messages(driver)
    assert sorted(file.read_bytes() for file in kept.parent.glob("*.damaged")) == sorted(bad)


async def test_a_selection_of_which_nothing_can_be_read_is_told(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
    (kept,) = state_files()
    kept.write_bytes(b"\0")
    async with run(sample, (80, 24), restore=True) as driver:
        assert f"could not be read; it is kept as {kept.with_suffix('.damaged')}" in messages(driver)
        assert not driver.screen.session.picks
    assert kept.with_suffix(".damaged").read_bytes() == b"\0"


async def test_a_selection_that_cannot_be_kept_is_said(sample: Path, run: Run) -> None:
    Path(os.environ["XDG_STATE_HOME"]).write_text("no folder")
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
        assert "the selection is not saved" in messages(driver)
        assert meter(driver).out > 0
