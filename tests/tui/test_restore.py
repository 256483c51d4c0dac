"""The app begins as it was left: the last selection, and the project as it was seen, then what has changed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.acting import answer, eventually, mark, messages, meter, paste, tree_line
from tests.tui.conftest import Run


async def test_the_last_selection_comes_back(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        for row in ("AGENTS.md", ".context/TASKS#in-progress"):
            await driver.go_to(row)
            await driver.press("space")
        await driver.press("p", "i")
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


@pytest.fixture
def seen(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that was opened long after its last change."""

    def make(files: dict[str, str]) -> object:
        root = project(files)
        real = time.time_ns
        with monkeypatch.context() as later:
            later.setattr(time, "time_ns", lambda: real() + 3_600 * 10**9)
            Workspace.open(root)
        return root

    return make  # type: ignore[return-value]


async def test_what_changed_meanwhile_is_seen_after_the_first_frame(seen: Project, run: Run) -> None:
    root = seen({f"{name}.md": f"# {name}\n" for name in "abc"})
    (root / "b.md").unlink()
    (root / "d.md").write_text("# d\n\nMore words.\n", "utf-8")
    assert {each.path for each in Workspace.recall(root).references} == {"a.md", "b.md", "c.md"}
    async with run(root, recalls=True) as driver:
        await driver.press("plus")
        await eventually(driver, lambda: "d.md" in driver.text())
        assert "b.md" not in driver.text()
        assert not driver.screen.session.workspace.is_recalled  # type: ignore[union-attr]


async def test_what_has_not_changed_stays_as_it_is_shown(seen: Project, run: Run) -> None:
    root = seen({f"{name}.md": f"# {name}\n" for name in "abc"})
    async with run(root, recalls=True) as driver:
        await driver.press("plus", "space")
        assert "3 files" in driver.text()
        assert driver.screen.session.workspace.is_recalled  # type: ignore[union-attr]
        assert "picked" in driver.text()
