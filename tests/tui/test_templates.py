"""`F` goes through formats and templates; a project's is shown in full and used only if one agrees."""

from pathlib import Path

import pytest
from platformdirs import user_state_path

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.assembly.templates import own_folder
from ctxtui.tui.screens.dialogs import Confirm
from tests.conftest import Project
from tests.tui.acting import answer, eventually, meter, told_text
from tests.tui.conftest import Driver, Run

THEIRS = "THEIRS {{ project }} \x1b[31m[bold]\n{% for b in blocks %}{{ b.path }}\n{{ b.text }}{% endfor %}"
MINE = "MINE {{ project }}\n{% for b in blocks %}{{ b.text|fence(b.language) }}\n{% endfor %}{{ prompt }}\n"


@pytest.fixture
def root(project: Project) -> Path:
    own_folder().mkdir(parents=True)
    (own_folder() / "mine.txt.j2").write_text(MINE)
    return project({"AGENTS.md": "# Agents\n\nUse make.\n", ".ctxtui/templates/review.j2": THEIRS})


def head(driver: Driver) -> str:
    return driver.text().split("\n")[0]


def agreed() -> list[Path]:
    return list(user_state_path("ctxtui").glob("templates/*"))


async def test_the_next_format_is_a_template_and_its_number_is_exact(root: Path, run: Run, here: Path) -> None:
    async with run(root) as driver:
        await driver.press("space")
        await answer(driver, "colon", "json")
        assert "   json" in head(driver)
        await driver.press("F")
        assert "template mine.txt" in head(driver)
        assert "wrapping" in head(driver)
        reading = meter(driver)
        assert not reading.is_behind
        await driver.press("e")
        assert driver.app.screen.query_one("#answer").value == "context.txt"  # type: ignore[attr-defined]
        await driver.press("enter")
        text = (here / "context.txt").read_text()
        assert text.startswith(f"MINE {root.name}\n```markdown\n# Agents\n")
        assert get_counter().count(text) == reading.out
        await driver.open_tab("output")
        assert driver.screen.view.page.text == text or f"MINE {root.name}" in driver.text()
        await driver.press("u")
        assert "   json" in head(driver)


async def test_a_format_is_told_and_found_by_its_name_and_a_changed_template_read_again(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("space", "colon", *"xml", "enter")
        assert "   xml" in head(driver)
        assert "format xml; F goes through markdown, xml, json, template mine.txt" in driver.text()
        await driver.press("F")
        assert "format json; " in driver.text()
        assert "format xml; " not in driver.text()
        await driver.press("u")
        assert "   xml" in head(driver)
        assert "format json; " not in driver.text()
        await answer(driver, "colon", "mine")
        before = meter(driver).out
        (own_folder() / "mine.txt.j2").write_text(f"longer and longer and longer {MINE}")
        await driver.press("R")
        assert before < meter(driver).out == get_counter().count(driver.screen.session.payload().text)


async def test_a_projects_template_is_shown_and_used_after_a_yes(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("space", "F", "F", "F", "F")
        assert isinstance(driver.app.screen, Confirm)
        assert ".ctxtui/templates/review.j2" in driver.text()
        assert "THEIRS {{ project }} ␛[31m[bold]" in driver.text()
        assert "template mine" in head(driver)
        await driver.press("n")
        # A no goes on, and is not asked again.
        assert "   markdown" in head(driver)
        assert agreed() == []
        await driver.press("F", "F", "F", "F")
        assert "   markdown" in head(driver)
    async with run(root) as driver:
        await driver.press("space", "F", "F", "F", "F", "y")
        assert "template review" in head(driver)
        assert len(agreed()) == 1
        assert driver.screen.figures.layout.tokens == meter(driver).out
        await driver.press("F")
        assert "   markdown" in head(driver)
        await driver.press("F", "F", "F", "F")
        assert "template review" in head(driver)


async def test_a_recipe_with_a_template_asks_when_one_presses_the_key(root: Path, run: Run) -> None:
    (root / ".ctxtui/recipes").mkdir()
    (root / ".ctxtui/recipes/r.yaml").write_text("picks: [AGENTS.md]\ntemplate: .ctxtui/templates/review.j2\n")
    async with run(root) as driver:
        await answer(driver, "o", "r")
        assert "you have not agreed to its text" in told_text(driver)
        await driver.press("F", "y")
        assert "template review" in head(driver)
        await eventually(driver, lambda: not meter(driver).is_behind)
        assert driver.screen.session.payload().tokens == meter(driver).out > 0


async def test_a_template_that_is_gone_gives_way_to_the_format(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("space")
        await answer(driver, "colon", "mine")
        assert "template mine.txt" in head(driver)
    (own_folder() / "mine.txt.j2").unlink()
    async with run(root, restore=True) as driver:
        assert "   markdown" in head(driver)
        assert "no template mine.txt" in told_text(driver)
        assert "the format is markdown again" in told_text(driver)
        assert meter(driver).out > 0


async def test_the_tree_is_a_row_that_can_be_dropped(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("space")
        driver.screen.action_do("project_tree")
        await driver.settle()
        assert "project tree" in driver.text()
        assert [block.id for block in driver.screen.figures.layout.blocks] == ["(tree)", "AGENTS.md"]
        await driver.press("2", "g", "p", "x")
        assert [block.id for block in driver.screen.figures.layout.blocks] == ["AGENTS.md"]
        await driver.press("u")
        assert driver.screen.session.selection.tree == "picked"
        driver.screen.action_do("project_tree")
        await driver.settle()
        assert driver.screen.session.selection.tree == "all"


async def test_a_template_that_fails_is_told_and_the_next_format_works(root: Path, run: Run) -> None:
    (own_folder() / "mine.txt.j2").write_text("\n{{ nope }}")
    async with run(root) as driver:
        await driver.press("space")
        await answer(driver, "colon", "mine")
        assert "mine.txt.j2:2: 'nope' is undefined" in told_text(driver)
        assert meter(driver).is_behind
        await driver.open_tab("output")
        assert "'nope' is undefined" in driver.text()
        # The receivers cannot be listed without a payload.
        await driver.press("vertical_line")
        assert "'nope' is undefined; correct the template" in driver.text()
        await driver.press("escape", "u")
        assert not meter(driver).is_behind
