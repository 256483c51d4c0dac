"""What keys do on each row of the Audit screen, or why nothing; what a filter finds; rows without a file."""

import os
import sys
from itertools import product
from pathlib import Path

import pytest

from ctxtui.tui.filtering import read_filter
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.fold_rows import Row, matching_rows
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.preview import Preview
from tests.conftest import Project
from tests.tui.acting import eventually, listed, paste, to_row, to_view, told_text
from tests.tui.conftest import Driver, Run

FAKE_AGENT = Path(__file__).parents[1] / "agents" / "fake_agent.py"


async def test_a_row_without_a_file_has_the_width_of_the_screen_and_a_filter_finds_its_end(driver: Driver) -> None:
    await driver.press(*to_view("starts"))
    rows, preview = listed(driver), driver.app.screen.query_one(Preview)
    await to_row(driver, lambda row: row.group == "claude-code")
    await driver.press("enter")
    assert (preview.display, rows.size.width) == (False, 160)
    # Whole, in the column that says why a file is read.
    assert "name and description and when_to_use at the start, the rest when the model asks" in driver.text()
    await to_row(driver, lambda row: row.has_preview)
    assert preview.display
    assert rows.size.width < 100
    assert preview.page.text
    await driver.press("g")
    assert (preview.display, rows.size.width) == (False, 160)
    await driver.press("slash")
    await paste(driver, "cut")
    await driver.press("enter")
    kept = listed(driver).items
    assert {row.words for row in kept if row.group} == {"Claude Code", "GitHub Copilot in VS Code"}
    assert {row.path for row in kept if not row.group} == {".claude/skills/incident-review/SKILL.md"}
    assert "cut from the description: " in kept[-1].detail


async def test_the_remarks_of_an_agent_show_whole(project: Project, run: Run) -> None:
    async with run(project({"CLAUDE.md": "# Rules\n\nBe kind.\n"})) as driver:
        await driver.press(*to_view("starts"))
        for size in ((80, 24), (160, 45)):
            await driver.resize(*size)
            told = " ".join(driver.text().split())
            assert "if they exist, also /etc/claude-code/CLAUDE.md, ~/.claude/CLAUDE.md" in told
            assert ": not counted" in told
            assert "…" not in told.partition("start CLAUDE.md")[0]


async def test_an_agent_is_started_after_a_yes_and_what_it_sends_is_shown(
    project: Project, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{FAKE_AGENT.read_text()}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    async with run(project({"CLAUDE.md": "# Rules\n\nBe kind to all of our users.\n"})) as driver:
        await driver.press(*to_view("starts"), "r")
        assert "Start claude-code" in driver.text()
        assert str(program) in driver.text()
        assert "keys are dummies" in driver.text()
        await driver.press("n")
        assert "as captured" not in driver.text()
        await driver.press("r", "y")
        await eventually(driver, lambda: "Claude Code as captured" in driver.text())
        (row,) = [row for row in listed(driver).items if row.path == "CLAUDE.md" and "sent claude-code" in row.within]
        assert "whole" in row.text


async def test_a_screens_work_ends_before_its_widgets(
    sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work: list[str] = []

    def look(page: Page) -> None:
        at_work.extend(each.group for each in page.app.workers if not each.is_finished and not each.is_cancelled)

    async with run(sample) as driver:
        await driver.press("A")
        # A preview that still waits when the screen is left.
        monkeypatch.setattr("ctxtui.tui.widgets.preview.DEBOUNCE", 60.0)
        await driver.key("j")
        assert any(each.group == "preview" for each in driver.app.workers)
        monkeypatch.setattr(Page, "on_unmount", look, raising=False)
        await driver.key("escape")
        await eventually(driver, lambda: bool(at_work))
    assert "preview" not in at_work


def test_a_filter_finds_whole_texts_and_numbers_but_not_those_of_headings() -> None:
    head = Row((("a-rule-with-a-lon…", ""),), (("157 cut", "warn"),), group="x", words="a-rule-with-a-long-name")
    inside = Row((("  ", ""),), (("1,234", ""),), name=("docs/a.md", ""), within=("x",))
    assert matching_rows([head, inside], read_filter("long-name")) == [head, inside]
    assert matching_rows([head, inside], read_filter("157")) == [head]
    assert matching_rows([head, inside], read_filter("1,234 a.md")) == [head, inside]


async def test_a_key_with_nothing_to_do_says_so(project: Project, run: Run) -> None:
    told = {
        "findings": {
            "space": "the map and the matrix pick",
            "backspace": "nothing to zoom out of",
            "u": "nothing to undo",
        },
        "starts": {"enter": "no file to go to here", "E": "no file to edit here", "y": "no finding to copy here"},
        "map": {"t": "nothing to sort in a picture"},
    }
    async with run(project({"CLAUDE.md": "# Rules\n\n@nil.md\n", "docs/a.md": "# A\n"})) as driver:
        for view, keys in told.items():
            await driver.press(*to_view(view))
            if view == "starts":
                await to_row(driver, lambda row: not (row.path or row.group))
            for key, said in keys.items():
                before = told_text(driver)
                await driver.press(key)
                assert said in told_text(driver).removeprefix(before), (view, key)
                assert isinstance(driver.app.screen, Audit)
            await driver.press("A")


async def test_without_a_repository_the_lists_say_what_to_do(project: Project, run: Run) -> None:
    async with run(project({"AGENTS.md": "# A\n"})) as driver:
        for view, size in product(("changes", "history"), ((160, 45), (60, 12))):
            await driver.press("escape", *to_view(view))
            await driver.resize(*size)
            top = listed(driver).region.y
            told = " ".join(" ".join(driver.text().splitlines()[top : top + 3]).split())
            assert "this project is not in a git repository; run `git init`, or open a folder of a repository" in told
