"""Recipes: saved, opened, gone stale, and rebuilt without a screen to the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Project
from tests.tui.acting import answer, dialog_text, eventually, is_unharmed, mark, meter, paste, told_text, tree_line
from tests.tui.conftest import Driver, Run


def build(root: Path, name: str) -> subprocess.CompletedProcess[bytes]:
    """`ctxtui build NAME` in a process of its own."""
    command = [sys.executable, "-m", "ctxtui.cli.__main__", "build", name, "-C", str(root)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, capture_output=True, env=environment, check=False, timeout=60)


def written(root: Path, name: str, text: str) -> Path:
    place = root / ".ctxtui" / "recipes" / f"{name}.yaml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


async def test_a_recipe_rebuilds_what_the_app_exports(sample: Path, run: Run, here: Path) -> None:
    async with run(sample) as driver:
        await driver.pick("AGENTS.md", ".context/TASKS#in-progress", "python/fastapi_patterns", "notes/")
        await driver.press("@python/fastapi_patterns#(frontmatter)", "space", "p", "i")
        await paste(driver, "Why?\n  '\"%&* : - #\n\n\ttab\n")
        await driver.press("f2", "F")
        await answer(driver, "b", f"{meter(driver).out * 2 // 3}")
        await answer(driver, "w", "review")
        assert "recipe review " in driver.text().split("\n")[0] + " "
        assert "*" not in driver.text().split("\n")[0]
        await answer(driver, "e", "out.xml")
        await driver.press("space")
        assert "recipe review*" in driver.text().split("\n")[0]
        await driver.press("u")
        assert "recipe review*" not in driver.text().split("\n")[0]
    first, second = build(sample, "review"), build(sample, "review")
    assert first.returncode == second.returncode == 0, first.stderr
    assert first.stdout == second.stdout == (here / "out.xml").read_bytes()


async def test_names_that_are_no_recipe_names_are_refused_and_nothing_is_not_saved_over_a_recipe(
    sample: Path, driver: Driver
) -> None:
    await driver.resize(80, 24)
    await driver.press("space")
    for name in ("../x", "a/b", "", "x" * 300, "[red]", ".hidden"):
        await answer(driver, "w", name)
        assert driver.app.screen is not driver.screen, name
        assert "not a name for a recipe" in dialog_text(driver)
        await driver.press("escape")
    assert not (sample / ".ctxtui").exists()
    await driver.press("space", "@AGENTS.md", "space")
    await answer(driver, "w", "mine")
    saved = (sample / ".ctxtui/recipes/mine.yaml").read_text()
    await driver.press("x", "w")
    assert "nothing is picked, so there is nothing to save" in told_text(driver)
    assert driver.app.screen is driver.screen
    assert (sample / ".ctxtui/recipes/mine.yaml").read_text() == saved


async def test_an_existing_recipe_is_overwritten_only_by_y(sample: Path, run: Run) -> None:
    place = written(sample, "mine", "picks: [CLAUDE.md]\n")
    async with run(sample, (80, 24)) as driver:
        await driver.pick("AGENTS.md")
        await answer(driver, "w", "mine")
        await driver.press("n")
        assert place.read_text() == "picks: [CLAUDE.md]\n"
        await answer(driver, "w", "mine")
        await driver.press("y")
        assert "AGENTS.md" in place.read_text()


def kept() -> list[str]:
    """The texts that were replaced."""
    return [file.read_text() for file in Path(os.environ["XDG_STATE_HOME"]).rglob("replaced/*/*")]


_PULLED = "# why: the team agreed\npicks:\n- id: CLAUDE.md # not AGENTS\n"


@pytest.mark.parametrize("is_restored", [False, pytest.param(True, marks=pytest.mark.heavy)])
async def test_a_recipe_that_others_changed_is_shown_and_kept(sample: Path, run: Run, is_restored: bool) -> None:
    place = sample / ".ctxtui" / "recipes" / "review.yaml"
    async with run(sample) as driver:
        await driver.pick("AGENTS.md")
        await answer(driver, "w", "review")
        if not is_restored:
            await _is_asked(driver, place)
    if is_restored:
        async with run(sample, restore=True) as driver:
            await _is_asked(driver, place)
    assert kept().count(_PULLED) == 1
    assert "AGENTS.md" in place.read_text()


async def _is_asked(driver: Driver, place: Path) -> None:
    place.write_text(_PULLED)
    await driver.press("down", "space")
    await answer(driver, "w", "review")
    assert "was changed since it was opened here. Replace it?" in driver.text()
    assert "-# why: the team agreed" in driver.text()
    await driver.press("n")
    assert place.read_text() == _PULLED
    await answer(driver, "w", "review")
    await driver.press("y")
    assert "the old text is kept in" in told_text(driver)
    # From now on it is what was saved here.
    await driver.press("space")
    await answer(driver, "w", "review")
    assert driver.app.screen is driver.screen


async def test_comments_in_a_recipe_are_not_lost_without_a_question(sample: Path, run: Run) -> None:
    written(sample, "mine", _PULLED)
    async with run(sample) as driver:
        await driver.press("o", "enter", "space")
        await answer(driver, "w", "mine")
        assert "was written by hand; its comments and layout will be lost" in driver.text()
        await driver.press("y", "space")
        await answer(driver, "w", "mine")
        assert driver.app.screen is driver.screen
    assert _PULLED in kept()


@pytest.mark.heavy
async def test_two_apps_do_not_overwrite_one_recipe(sample: Path, run: Run) -> None:
    place = written(sample, "both", "picks:\n- id: CLAUDE.md\n")
    async with run(sample) as one, run(sample) as two:
        for driver in (one, two):
            await driver.press("o", "enter", "space")
        await two.press("down", "space")
        await answer(one, "w", "both")
        assert one.app.screen is one.screen
        theirs = place.read_text()
        await answer(two, "w", "both")
        assert "was changed since it was opened here" in two.text()
        await two.press("n")
        assert place.read_text() == theirs


async def test_what_went_stale_is_marked(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.pick("AGENTS.md", "CLAUDE.md", ".context/TASKS#in-progress")
        await answer(driver, "w", "review")
    (sample / "AGENTS.md").write_text("# Changed\n")
    (sample / "CLAUDE.md").unlink()
    async with run(sample) as driver:
        await driver.press("o", "enter")
        assert "opened review: 3 picks, 1 changed, 1 missing" in told_text(driver)
        assert "changed" in tree_line(driver, "AGENTS.md")
        assert mark(driver, "AGENTS.md") == "●"
        assert "missing" in driver.text()
        assert driver.screen.desk.history.undo(driver.screen.session.selection) is not None


async def test_a_recipe_without_over_shows_what_it_would_be(sample: Path, run: Run) -> None:
    """`over` is `fail` where a recipe does not say; on the screen that must not hide the numbers."""
    written(sample, "small", "picks: [AGENTS.md, .context/TASKS]\nbudget: 300\n")
    async with run(sample) as driver:
        await driver.press("o", "enter")
        reading = meter(driver)
        assert reading.limit == 300
        assert not reading.is_behind
        assert mark(driver, "AGENTS.md") == "●"
        assert "2 blocks" in driver.text()


async def test_a_damaged_recipe_is_a_message(sample: Path, run: Run) -> None:
    damaged = {
        "a-tabs": b"picks:\n\t- x\n",
        "b-binary": b"\xff\xfe\x00",
        "c-list": b"- a\n",
        "d-twice": b"picks: [AGENTS.md, AGENTS.md]\n",
        "e-model": b"picks: []\nmodel: '[red]no-such[/]'\n",
        "f-number": b"picks: []\nbudget: many\n",
        "g-bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\npicks: *c\n",
        "h-path": b"picks: ['../../../etc/passwd', \"a\\u0000b\", '']\n",
    }
    for name, data in damaged.items():
        written(sample, name, "").write_bytes(data)
    async with run(sample, (80, 24)) as driver:
        for name in damaged:
            await driver.press("o", *name[0], *"-", "enter")
            assert driver.app.screen is driver.screen
            text = told_text(driver)
            assert f"{name}.yaml" in text or f"opened {name}" in text
            assert is_unharmed(driver)
        assert "passwd" not in (driver.screen.session.payload().text if driver.screen.session else "")


async def test_a_recipe_opened_from_elsewhere_appears(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# A\n"})
    async with run(root, (80, 24)) as driver:
        await driver.press("o")
        assert "no recipes yet" in driver.text()
        await driver.press("enter", "escape")
        written(root, "new", "picks: [AGENTS.md]\n")
        await driver.press("o", "enter")
        await eventually(driver, lambda: meter(driver).out > 0)


@pytest.mark.parametrize(
    "link", [".ctxtui/recipes", pytest.param(".ctxtui/recipes/mine.yaml", marks=pytest.mark.heavy)]
)
async def test_a_link_out_of_the_project_is_neither_opened_nor_written(sample: Path, run: Run, link: str) -> None:
    outside = sample.parent / "outside"
    outside.mkdir()
    (outside / "mine.yaml").write_text("picks: [CLAUDE.md]\n")
    target = outside if link.endswith("recipes") else outside / "mine.yaml"
    (sample / link).parent.mkdir(parents=True, exist_ok=True)
    (sample / link).symlink_to(target)
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
        await answer(driver, "w", "mine")
        assert "leads out of the project" in told_text(driver)
        await driver.press("o", "enter")
        assert meter(driver).out > 0
        assert "recipe mine" not in driver.text()
    assert [each.name for each in outside.iterdir()] == ["mine.yaml"]
    assert (outside / "mine.yaml").read_text() == "picks: [CLAUDE.md]\n"


def whole(driver: Driver) -> str:
    """What the Payload panel says below, which a message may cover for some seconds."""
    return str(driver.screen.payload_panel.border_subtitle)


async def test_files_of_a_pattern_are_dropped_and_pinned_one_by_one(sample: Path, run: Run) -> None:
    place = written(sample, "code", "picks:\n- glob: 'src/*.py'\n- README.md\n")
    async with run(sample) as driver:
        await answer(driver, "o", "code")
        await eventually(driver, lambda: "› 3 of src/*.py" in whole(driver))
        assert "› src/models.py" in driver.text()
        await driver.press("2", "g", "x")
        await eventually(driver, lambda: "› 2 of src/*.py" in whole(driver))
        await driver.press("p")
        await eventually(driver, lambda: "› 1 of src/*.py" in whole(driver))
        await answer(driver, "w", "less")
        await driver.press("u", "u")
        await eventually(driver, lambda: "› 3 of src/*.py" in whole(driver))
    saved = (place.parent / "less.yaml").read_text()
    assert ("glob: src/*.py" in saved, "src/db.py" in saved, "pinned: true" in saved) == (True, True, True)
