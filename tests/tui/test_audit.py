"""The Audit screen: its tabs, going to a finding, a fix seen as a diff, written and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.tui.audit_rows import AuditRow
from ctxtui.tui.audit_tabs import TABS
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.item_rows import ItemRows
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
            "logs": "L reads your own transcripts",
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
