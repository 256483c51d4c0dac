"""Sections of code and outputs of notebooks: found beside the event loop, picked and dropped by a key."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from ctxtui.core import get_counter
from ctxtui.core.text.code.symbols import parse
from tests.conftest import Project
from tests.core.test_notebooks import code, notebook
from tests.session.test_notebook_picks import FILE
from tests.tui.acting import eventually, is_unharmed, picked, told_text
from tests.tui.conftest import Driver, Run

METHOD = "  /** Adds to what is there. */\n  add{}(more: number): number {{\n    return this.sum + more;\n  }}\n\n"
SHOP = "class Shop {\n  sum = 0;\n\n" + "".join(METHOD.format(number) for number in range(200)) + "}\n"
C = "".join(f"/* Adds {n}. */\nint add_{n}(int more)\n{{\n    return more + {n};\n}}\n\n" for n in range(300))


@contextmanager
def parsed_by_this_thread() -> Iterator[list[str]]:
    """The languages that the event loop parses itself."""
    found: list[str] = []

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is parse.__code__:
            found.append(frame.f_locals["language"].name)

    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize(("path", "text", "member"), [("shop.ts", SHOP, "Shop.add7"), ("shop.c", C, "add_7")])
async def test_code_is_parsed_beside_the_event_loop(
    project: Project, run: Run, path: str, text: str, member: str
) -> None:
    root = project({path: text, "small.md": "# Small\n"})
    async with run(root, (120, 35)) as driver:
        await driver.go_to(path)
        with parsed_by_this_thread() as found:
            await driver.press("s")
            assert member.rpartition(".")[2] in driver.text()
            await driver.press("1", "right", "right", "down", "space")
            assert found == []
        assert picked(driver) == [path]
        assert is_unharmed(driver)
        # A file that changes while it is open, and the cursor stays.
        await driver.go_to(f"{path}#{member}")
        with parsed_by_this_thread() as found:
            (root / path).write_text(f"// Changed.\n\n{text}", "utf-8")
            await driver.press("R")
            assert found == []
        assert driver.screen.context_tree.current.id == f"{path}#{member}"


async def test_code_whose_symbols_are_given_up_or_not_known_says_so(project: Project, run: Run) -> None:
    files = {"a.cs": "a<" * 20_000, "a.pl": "sub a {}\n", "small.md": "# Small\n"}
    async with run(project(files), (120, 35)) as driver:
        await driver.go_to("a.cs")
        assert "too complex" not in driver.text().lower()
        await driver.press("s", "P")
        assert "a.cs: too complex to show its sections" in driver.text()
        await driver.press("escape", "@a.pl", "s")
        assert "no symbols for .pl files" in driver.text()
        await driver.press("O")
        assert "a.pl has no outline" in driver.text()


OUTPUTS = "query:outputs: orders.ipynb"


def is_exact(driver: Driver) -> bool:
    """Whether the meter shows what would be exported now."""
    session, layout = driver.screen.session, driver.screen.figures.layout
    if session is None or layout is None or session.unanswered:
        return False
    return layout.tokens == get_counter().count(session.payload().text)


async def test_a_key_picks_the_outputs_and_drops_them(project: Project, run: Run) -> None:
    root = project({"orders.ipynb": FILE, "quiet.ipynb": notebook(code("x")), "a.md": "# A\n"})
    for size in ((160, 45), (80, 24)):
        async with run(root, size=size) as driver:
            await driver.press("@orders.ipynb", "space", "O")
            await eventually(driver, lambda driver=driver: picked(driver) == ["orders.ipynb", OUTPUTS])
            await eventually(driver, lambda driver=driver: is_exact(driver))
            await driver.press("O")
            await eventually(driver, lambda driver=driver: picked(driver) == ["orders.ipynb"])
            await driver.press("u")
            await eventually(driver, lambda driver=driver: picked(driver) == ["orders.ipynb", OUTPUTS])
            await driver.press("2", "down", "enter")
            assert "a  b" in driver.screen.view.page.text
            (root / "orders.ipynb").write_text(notebook(code("x", {"output_type": "stream", "text": "anew\n"})))
            await eventually(driver, lambda driver=driver: "anew" in driver.screen.view.page.text)
            await eventually(driver, lambda driver=driver: is_exact(driver))
            (root / "orders.ipynb").write_text(FILE)
            await driver.press("2", "x", "1")
            assert picked(driver) == ["orders.ipynb"]
            await driver.press("@quiet.ipynb", "O")
            await eventually(driver, lambda driver=driver: "has no outputs" in told_text(driver))
            await driver.press("1", "u", "u", "u", "u", "u")
