"""The Audit screen: its tabs, going to a finding, a fix seen as a diff, written and taken back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxtui.agents import audit_agents
from ctxtui.agents.paths import Index
from ctxtui.audit.history.history import histories
from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.audit_tabs import TABS
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.item_rows import ItemRows
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import messages
from tests.tui.conftest import Driver, Run


def _rows(driver: Driver) -> ItemRows[AuditRow]:
    assert isinstance(driver.app.screen, Audit)
    return driver.app.screen.rows


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_every_tab_shows_something(sample: Path, run: Run, size: tuple[int, int]) -> None:
    async with run(sample, size) as driver:
        await driver.press("A")
        expected = {
            "findings": "token-drift",
            "agents": "start      ",
            "totals": "By source",
            "map": ".context",
            "matrix": "claude-code",
            "touch": "w asks which file to touch",
            "history": "not in a git repository",
        }
        for tab in TABS:
            assert expected[tab] in driver.text(), tab
            await driver.press("right_square_bracket")
        await driver.press("escape")
        assert driver.app.screen is driver.screen


async def test_enter_goes_to_file_and_line(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A", "slash", *"fastapi", "enter", "enter")
        assert driver.screen.context_tree.current.id == "python/fastapi_patterns#(frontmatter)"


async def test_a_fix_is_seen_written_and_taken_back(sample: Path, run: Run) -> None:
    tasks = sample / ".context/TASKS.md"
    before = tasks.read_text()
    async with run(sample) as driver:
        await driver.press("A", "F")
        assert "no number to fix here" in messages(driver)
        await driver.press("slash", *"drift tasks", "enter", "F")
        assert "-estimatedTokens: 600" in driver.text()
        assert "+estimatedTokens: 1656" in driver.text()
        await driver.press("n")
        assert tasks.read_text() == before
        await driver.press("F", "y")
        await driver.settle()
        assert tasks.read_text() == before.replace("600", "1656", 1)
        assert "wrote .context/TASKS.md" in messages(driver)
        assert _rows(driver).items == []
        await driver.press("u")
        await driver.settle()
        assert tasks.read_text() == before


async def test_a_file_that_changed_meanwhile_is_not_written(sample: Path, run: Run) -> None:
    tasks = sample / ".context/TASKS.md"
    async with run(sample) as driver:
        await driver.press("A", "slash", *"drift tasks", "enter", "F")
        tasks.write_text("# Others wrote this\n")
        await driver.press("y")
        await driver.settle()
        assert tasks.read_text() == "# Others wrote this\n"


async def test_what_if_a_file_is_touched(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A", "w", *"src/api/orders.py", "enter")
        await driver.settle()
        assert "when an agent touches src/api/orders.py" in driver.text()
        assert ".claude/rules/api.md" in driver.text()


async def test_rows_are_sorted_by_tokens_and_back(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A", "right_square_bracket", "t")
        tokens = [row.tokens for row in _rows(driver).items]
        assert tokens == sorted(tokens, reverse=True)
        await driver.press("t")
        assert [row.tokens for row in _rows(driver).items] != tokens


async def test_limits_that_cannot_be_read_are_told(sample: Path, run: Run) -> None:
    (sample / "ctxtui.toml").write_text("[limits]\ntotl = 3\n")
    async with run(sample) as driver:
        await driver.press("A")
        assert "unknown key `totl`" in driver.text()


async def test_a_project_without_context_has_nothing_to_find(project: Project, run: Run) -> None:
    async with run(project({})) as driver:
        await driver.press("A", "F", "A", "u", "enter", "t")
        assert isinstance(driver.app.screen, Audit)


async def test_what_if_a_file_is_touched_that_does_not_exist(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A", "w", *"new.zzz", "enter")
        assert "new.zzz does not exist; this is what agents would read if it did" in driver.text()
        assert "no agent reads more when new.zzz is touched" in driver.text()


async def test_the_history_folds_commits_that_change_nothing(tmp_path: Path, run: Run) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "One.\n"}, "begin")
    for number in range(3):
        repo.commit({"x.py": f"{number}\n"}, "code")
    repo.commit({"AGENTS.md": "One, two.\n"}, "grow")
    async with run(repo.root) as driver:
        await driver.press("A", "left_square_bracket")
        rows = ["".join(text for text, _ in row.left).split() for row in _rows(driver).items]
        assert rows[0][-1] == "grow"
        assert rows[1] == ["3", "commits", "without", "change"]
        assert rows[2][-1] == "begin"
        assert "3 commits without change" in driver.text()


@pytest.mark.parametrize("leave", ["escape", "right_square_bracket"])
async def test_leaving_the_history_ends_its_thread(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, leave: str
) -> None:
    repo = Repo(tmp_path / "r")
    for number in range(4):
        repo.commit({"AGENTS.md": f"Rule {number}.\n"})
    began, go, ended = threading.Event(), threading.Event(), threading.Event()
    replayed = []

    def slow(paths: Index, *arguments: Any, **options: Any) -> Any:
        replayed.append(paths)
        if len(replayed) == 2:
            began.set()
            assert go.wait(20)
        return audit_agents(paths, *arguments, **options)

    def watched(*arguments: Any, **options: Any) -> Iterator[Any]:
        try:
            yield from histories(*arguments, **options)
        finally:
            ended.set()

    monkeypatch.setattr("ctxtui.audit.history.replay_starts.audit_agents", slow)
    monkeypatch.setattr("ctxtui.audit.history.read_back._AT_ONCE", 1)
    monkeypatch.setattr("ctxtui.tui.audit_tabs.histories", watched)
    async with run(repo.root) as driver:
        await driver.press("A")
        await driver.key("left_square_bracket")
        assert await asyncio.to_thread(began.wait, 20)
        await driver.frame()
        assert "1 of 4 commits read" in driver.text()
        await driver.key(leave)
        await driver.frame()
        go.set()
        assert await asyncio.to_thread(ended.wait, 20)
        assert len(replayed) == 2
        await driver.settle()
        assert driver.app.is_running
