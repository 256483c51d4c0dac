"""The filter of changed files: working tree, staged, since a base; it narrows what words find, and stays current."""

import shutil
from pathlib import Path

import pytest

from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import choices, eventually, told_text
from tests.tui.conftest import Driver, Run


@pytest.fixture
def root(project: Project) -> Path:
    root = project({f"{name}.md": f"# {name}\n\n## Part\n" for name in ("one", "two", "three", "four")})
    repo = Repo(root)
    repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"three.md": "# three\n\nmore\n"})
    repo.write({"one.md": "# one\n\nmore\n", "two.md": "# two\n\nmore\n"})
    repo.git("add", "two.md")
    return root


def shown(driver: Driver) -> list[str]:
    return sorted(row.node.id for row in driver.screen.context_tree.rows)


def title(driver: Driver) -> str:
    return str(driver.screen.context_panel.border_title)


async def test_a_key_goes_through_the_kinds_of_changes_which_words_narrow(root: Path, run: Run) -> None:
    async with run(root) as driver:
        assert driver.screen.context_tree.git == {"one.md": "M", "two.md": "M"}
        for name, paths in (("changed", "one two"), ("staged", "two"), ("since main", "one three two")):
            await driver.press("c")
            assert name in title(driver)
            assert shown(driver) == [f"{path}.md" for path in paths.split()]
        assert driver.screen.context_tree.git["three.md"] == "M"
        await driver.press("c")
        assert driver.screen.context_tree.filtered is None
        assert "by path" in title(driver)
        # All that words and changes leave are picked.
        await driver.press("c", "slash", *"two", "enter")
        assert "two.md" in shown(driver)
        assert not {"one.md", "three.md", "four.md"} & set(shown(driver))
        await driver.press("escape")
        assert driver.screen.context_tree.filtered is None
        assert "by path" in title(driver)
        await driver.press("c", "a")
        assert sorted(pick.id for pick in driver.screen.session.picks) == ["one.md", "two.md"]


async def test_the_base_is_chosen_from_branches(root: Path, run: Run) -> None:
    Repo(root).git("branch", "release", "main")
    async with run(root) as driver:
        await driver.press("C")
        assert choices(driver)[0].startswith("main "), "what is compared with now comes first"
        await driver.press(*"release", "enter")
        assert "since release" in title(driver)
        assert shown(driver) == ["one.md", "three.md", "two.md"]
        await driver.press("C", *"work", "enter")
        assert shown(driver) == ["one.md", "two.md"]


async def test_marks_and_filter_follow_what_git_does(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("c")
        tree = driver.screen.context_tree
        (root / "four.md").write_text("# four!\n")
        await eventually(driver, lambda: "four.md" in tree.git, 20)
        assert shown(driver) == ["four.md", "one.md", "two.md"]
        # Only git's own state changes, none of the files.
        Repo(root).git("commit", "-q", "-m", "two")
        await eventually(driver, lambda: "two.md" not in tree.git, 20)
        assert shown(driver) == ["four.md", "one.md"]


async def test_without_changes_or_git_it_says_so(root: Path, project: Project, run: Run) -> None:
    Repo(root).commit()
    async with run(project({"a.md": "x\n"})) as driver:
        await driver.press("c", "C", "d")
        assert told_text(driver).count("not in a git repository") == 3
    Repo(root).git("checkout", "-q", "main")
    async with run(root) as driver:
        await driver.press("c")
        assert "no changed files, none since main" in told_text(driver)
        assert driver.screen.context_tree.filtered is None


async def test_a_deleted_folder_is_told_not_an_empty_list_of_changes(root: Path, run: Run) -> None:
    async with run(root) as driver:
        await driver.press("c", "a")
        shutil.rmtree(root)
        await driver.press("R")
        assert f"the project's folder is gone: {root}" in told_text(driver)
        await eventually(driver, lambda: "the project's folder is gone" in driver.text())
        assert "no changed files" not in driver.text()
        assert "project read again" not in told_text(driver)
