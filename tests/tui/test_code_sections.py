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
from tests.tui.acting import eventually, is_unharmed, messages, picked
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


@pytest.mark.parametrize(("path", "text", "member"), [("shop.ts", SHOP, "add7"), ("shop.c", C, "add_7")])
async def test_code_is_parsed_beside_the_event_loop(
    project: Project, run: Run, path: str, text: str, member: str
) -> None:
    async with run(project({path: text, "small.md": "# Small\n"}), (120, 35)) as driver:
        await driver.go_to(path)
        with parsed_by_this_thread() as found:
            await driver.press("s")
            assert member in driver.text()
            await driver.press("1", "right", "right", "down", "space")
            assert found == []
        assert [pick.id for pick in driver.screen.session.picks] == [path]
        assert is_unharmed(driver)


async def test_an_open_file_that_changes_is_parsed_beside_the_event_loop_and_the_cursor_stays(
    project: Project, run: Run
) -> None:
    root = project({"shop.ts": SHOP, "small.md": "# Small\n"})
    async with run(root, (120, 35)) as driver:
        await driver.go_to("shop.ts#Shop.add7")
        current = driver.screen.context_tree.current
        assert current.id == "shop.ts#Shop.add7"
        with parsed_by_this_thread() as found:
            (root / "shop.ts").write_text("// Changed.\n\n" + SHOP, "utf-8")
            await driver.press("R")
            assert found == []
        current = driver.screen.context_tree.current
        assert current.id == "shop.ts#Shop.add7"


async def test_a_file_whose_symbols_are_given_up_is_told(project: Project, run: Run) -> None:
    async with run(project({"a.cs": "a<" * 20_000, "small.md": "# Small\n"}), (120, 35)) as driver:
        await driver.go_to("a.cs")
        assert "too complex" not in driver.text().lower()
        await driver.press("s", "P")
        assert "a.cs" in driver.text()
        assert "a.cs: too complex to show its sections" in driver.text()


async def test_sections_and_outlines_of_a_language_without_a_grammar_say_why_there_are_none(
    project: Project, run: Run
) -> None:
    async with run(project({"a.pl": "sub a {}\n", "small.md": "# Small\n"}), (120, 35)) as driver:
        await driver.press("@a.pl", "s")
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
            await eventually(driver, lambda driver=driver: "has no outputs" in messages(driver))
            await driver.press("1", "u", "u", "u", "u", "u")
