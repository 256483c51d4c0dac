"""The matrix as a heat map: what a cell says, which columns and files are on the screen, moves and picks."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.heat import STEPS, Heat, bounds, step_of
from tests.conftest import Project
from tests.tui.acting import click, to_view, told_text
from tests.tui.conftest import Driver, Run

_MATRIX = to_view("matrix")


@given(st.integers(1, 10**7), st.data())
def test_more_tokens_are_never_colder(most: int, data: st.DataObject) -> None:
    small, large = sorted((data.draw(st.integers(0, most)), data.draw(st.integers(0, most))))
    assert 0 <= step_of(small, most) <= step_of(large, most) <= STEPS
    assert (step_of(small, most) == 0) == (small == 0)
    assert step_of(most, most) == STEPS
    assert bounds(most) == sorted(bounds(most))
    assert bounds(most)[-1] in (most, most - 1)


def _line(driver: Driver, name: str) -> str:
    return next(line for line in driver.text().split("\n") if name in line)


def _heat(driver: Driver) -> Heat:
    return driver.app.screen.query_one(Heat)


async def test_files_by_agents_are_told_picked_and_opened(driver: Driver) -> None:
    await driver.press(*to_view("starts"))
    screen = driver.app.screen
    assert isinstance(screen, Audit)
    skill = ".claude/skills/incident-review/SKILL.md"
    listed = max(row.tokens for row in screen.all_rows if row.path == skill)
    session = driver.screen.desk.session
    assert listed < 404 == session.workspace.tokens(session.workspace.by_path[skill], session.budget.counter)
    await driver.press("v")
    assert re.search(rf"L {listed}\b", _line(driver, "incident-review/SKILL.md"))
    assert "404" not in _line(driver, "incident-review/SKILL.md")
    assert "files by 6 agents" in driver.text()
    lines = [line for line in driver.text().split("\n") if re.search(r"\.md|\.mdc", line)]
    sums = [int(line.split()[-1].replace(",", "")) for line in lines[:10]]
    assert sums == sorted(sums, reverse=True)
    assert "AGENTS.md" in lines[0]
    assert "codex: start, 579 tokens" in driver.text()
    await driver.press("down", "down", "right")
    assert "claude-code: listed, 335 tokens, 48 cut" in driver.text()
    await driver.press("space")
    assert ">●" in _line(driver, "incident-review/SKILL.md")
    assert [pick.id for pick in driver.screen.desk.session.picks] == [".claude/skills/incident-review/SKILL.md"]
    await driver.press("space")
    assert driver.screen.desk.session.picks == ()
    await click(driver, "docs/style.md", times=2)
    assert driver.app.screen is driver.screen
    assert driver.screen.context_tree.current.id == "docs/style.md"


async def test_heads_and_names_stay_while_the_cursor_moves(project: Project, run: Run) -> None:
    rules = {f".claude/rules/r{place:02}.md": f"# R\n\n{'word ' * (100 - place)}\n" for place in range(40)}
    async with run(project({**rules, "AGENTS.md": "x", ".gemini/x.md": "x"}), (80, 24)) as driver:
        await driver.press(*_MATRIX, "end")
        assert "r39.md" in driver.text()
        assert "claude-" in driver.text()
        assert "r00.md" not in driver.text()
        await driver.press("home")
        assert _line(driver, "r00.md").startswith(">")
        await driver.press("pagedown")
        assert not _line(driver, "r08.md").startswith(">")
        first = _heat(driver).target
        await driver.press("end", *["right"] * 20, "down")
        assert _heat(driver).target != first
        assert ">" in driver.text()


async def test_a_file_that_cannot_be_picked_says_so(project: Project, run: Run) -> None:
    (Path.home() / ".claude").mkdir()
    (Path.home() / ".claude/CLAUDE.md").write_text("# How I work, at length, in many words\n")
    async with run(project({"CLAUDE.md": "x"})) as driver:
        await driver.press("tilde", *_MATRIX)
        assert "~/.claude/CLAUDE.md" in _line(driver, ">")
        await driver.press("space")
        assert "only files of the project can be picked" in told_text(driver)
        assert driver.screen.desk.session.picks == ()


@pytest.mark.parametrize(
    "size", [(60, 20), *(pytest.param(size, marks=pytest.mark.heavy) for size in ((80, 24), (200, 60)))]
)
async def test_the_cursor_is_on_the_screen_at_every_size(sample: Path, run: Run, size: tuple[int, int]) -> None:
    async with run(sample, size) as driver:
        await driver.press(*_MATRIX)
        for key in ("right", "right", "right", "right", "right", "end", "home", "left"):
            await driver.press(key)
            assert next(line for line in driver.text().split("\n")[6:] if line.startswith(">")).count(">") == 2, key
