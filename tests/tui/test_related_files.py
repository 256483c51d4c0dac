"""Related files in the app: a quiet line for code, a dialog that goes there or picks, and links for documents."""

from pathlib import Path

import pytest

from tests.conftest import Project
from tests.tui.acting import answer, choices, eventually, told_text
from tests.tui.conftest import Driver, Run


@pytest.fixture
def root(project: Project) -> Path:
    code = {"src/one.py": "import two\n", "src/two.py": "X = 1\n", "tests/test_one.py": "import one\n"}
    return project({"a.md": "# A\n\nsee [B](b.md)\n", "b.md": "# B\n\nb\n", **code})


def quiet(driver: Driver) -> str:
    return str(driver.screen.view.border_subtitle or "")


def row(driver: Driver) -> str | None:
    node = driver.screen.context_tree.current
    return node.id if node else None


async def test_related_files_are_listed_gone_to_picked_and_told(root: Path, run: Run) -> None:
    async with run(root) as driver:
        driver.screen.go_to("src/one.py")
        await driver.press("L")
        await eventually(driver, lambda: len(choices(driver)) == 3)
        shown = [" ".join(each.split()) for each in choices(driver)]
        assert shown == ["src/two.py imports 5", "tests/test_one.py test 3", "pick all 2 8 tokens"]
        await driver.press("enter")
        assert row(driver) == "src/two.py"
        await driver.press("L", "enter")
        assert row(driver) == "src/one.py"
        driver.screen.go_to("src/one.py")
        await answer(driver, "L", "pick all")
        await eventually(driver, lambda: "picked 2 related files" in told_text(driver))
        assert [pick.id for pick in driver.screen.session.picks] == ["tests/test_one.py", "src/two.py"]
        await driver.press("u")
        assert not driver.screen.session.picks
        driver.screen.go_to("a.md")
        await driver.press("L", "enter")
        assert row(driver) == "b.md"
        driver.screen.go_to("src/one.py")
        await eventually(driver, lambda: quiet(driver) == "2 related files, 8 tokens  L")
        assert "2 related files, 8 tokens  L" in driver.text()
        driver.screen.go_to("a.md")
        await eventually(driver, lambda: not quiet(driver))
        (root / "src/three.py").write_text("import one\n")
        driver.screen.go_to("src/one.py")
        await eventually(driver, lambda: quiet(driver).startswith("3 related files, "))
