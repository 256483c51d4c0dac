"""Picking what git says: one dialog, rows like those of queries, and answers that follow the repository."""

from pathlib import Path

import pytest
from textual.widgets import OptionList
from textual.widgets._toast import Toast

from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import answer, choices, eventually, picked, told_text
from tests.tui.conftest import Driver, Run


@pytest.fixture
def root(project: Project) -> Path:
    root = project({f"{name}.md": f"# {name}\n\n## Part\n" for name in ("one", "two", "three")})
    repo = Repo(root)
    repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"three.md": "# three\n\nmore\n"}, "Say more")
    repo.write({"one.md": "# one\n\n## Part\n\nmore\n"})
    return root


def blocks(driver: Driver) -> list[str]:
    return [block.id for block in driver.screen.figures.layout.blocks]


def named(driver: Driver) -> list[str]:
    return [each.split("  ")[0] for each in choices(driver)]


async def test_what_is_chosen_or_typed_is_picked_shown_and_undone(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("d")
        names = named(driver)
        assert names[:7] == "changed,sections,diff,changed main,sections main,diff main,log main..HEAD".split(",")
        assert names[-3:] == ["changed staged", "sections staged", "diff staged"], "nothing is staged"
        assert "diff work" not in names, "nothing has changed since the branch that is checked out"
        await driver.press("escape")
        await answer(driver, "d", "diff main")
        assert blocks(driver) == ["query:diff: since main#one.md", "query:diff: since main#three.md"]
        assert "picked diff: since main: 2 files" in told_text(driver)
        assert "diff one.md" in "".join(str(cell[0]) for cell in driver.screen.blocks.row(0)[0])
        await driver.press("2", "enter")
        assert "+more" in driver.screen.view.page.text
        await driver.press("p")
        assert driver.screen.session.picks[0].pinned
        await driver.press("x")
        assert blocks(driver) == ["query:diff: since main#three.md"]
        await driver.press("u")
        assert len(blocks(driver)) == 2
        await driver.press("x", "x")
        assert picked(driver) == []
        await driver.press("u", "u", "u", "u")
        assert picked(driver) == []
        await answer(driver, "d", "log HEAD~1..")
        assert blocks(driver) == ["query:log: HEAD~1.."]
        await answer(driver, "d", "sections main")
        assert blocks(driver)[1:] == [f"query:changed: sections, since main#{name}.md" for name in ("one", "three")]
        await answer(driver, "d", "diff nope..main")
        assert "git does not know nope" in told_text(driver)
        await answer(driver, "d", "diff HEAD..HEAD")
        assert "finds nothing now" in told_text(driver)
        assert len(picked(driver)) == 2


async def test_every_choice_takes_one_line_and_those_of_the_chosen_base_come_first(root: Path, run: Run) -> None:
    for branch in ("v1", "release/2026.11-candidate-with-a-name-that-is-longer-than-most"):
        Repo(root).git("branch", branch)
    async with run(root) as driver:
        for size in ((80, 24), (160, 45), (50, 24)):
            await driver.resize(*size)
            await driver.press("escape", "d")
            await eventually(driver, lambda: len(choices(driver)) > 9)
            assert driver.app.screen.query_one(OptionList).virtual_size.height == len(choices(driver))
            assert named(driver)[0] == "changed"
        await driver.press("escape")
        await answer(driver, "C", "v1")
        await driver.press("escape", "d")
        assert named(driver)[:5] == ["changed v1", "sections v1", "diff v1", "log v1..HEAD", "changed"]


async def test_the_output_shows_the_block_of_each_file_of_a_diff(root: Path, run: Run) -> None:
    (root / "one.md").write_text("# one\n" + "".join(f"line {number}\n" for number in range(90)))
    async with run(root) as driver:
        await answer(driver, "d", "diff main")
        assert blocks(driver) == ["query:diff: since main#one.md", "query:diff: since main#three.md"]
        await driver.press("2", "down", "enter")
        assert "+line 9" not in driver.text()
        await driver.press("up", "enter")
        assert "+line 9" in driver.text()
        await driver.resize(80, 24)
        await driver.press("2")
        assert "+line 1" not in driver.text()
        await driver.press("enter")
        assert "+line 1" in driver.text(), "a narrow screen shows one panel, which is View now"


async def test_the_blocks_follow_what_git_does(root: Path, run: Run) -> None:
    async with run(root) as driver:
        Repo(root).git("add", "one.md")
        await answer(driver, "d", "diff staged")
        assert blocks(driver) == ["query:diff: the index#one.md"]
        Repo(root).git("mv", "two.md", "moved.md")
        await eventually(driver, lambda: len(blocks(driver)) == 2)
        Repo(root).git("commit", "-qm", "Both")
        await eventually(driver, lambda: blocks(driver) == [])
        assert picked(driver) == ["query:diff: the index"]
        assert "diff: the index" in driver.text()
        assert "finds nothing now" in driver.text()
        await driver.press("2", "space")
        assert picked(driver) == []
        await driver.press("u")
        assert picked(driver) == ["query:diff: the index"]


async def test_the_same_message_is_one_toast(project: Project, run: Run) -> None:
    async with run(project({"one.md": "# one\n"})) as driver:
        await driver.press("d", "d", "d")
        assert len(driver.told) == 3
        await eventually(driver, lambda: len(driver.screen.query(Toast)) == 1)


async def test_a_toast_that_is_mounted_as_it_expires_goes(project: Project, run: Run) -> None:
    async with run(project({"one.md": "# one\n"})) as driver:
        driver.app.notify("over", timeout=1e-6)
        await driver.settle()
        over = driver.told[-1]
        assert over.has_expired
        # Textual's timer for a time below zero would never end.
        assert over.time_left > 0
        toast = Toast(over)
        await driver.screen.mount(toast)
        await eventually(driver, lambda: not toast.is_attached)
