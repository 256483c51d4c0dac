"""Huge: thousands of files and documents of megabytes stay usable, and the meter exact."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ctxtui.core.tokens.encodings import encoding
from tests.conftest import Project
from tests.tui.acting import eventually, is_unharmed, mark, meter
from tests.tui.conftest import Driver, Run

pytestmark = pytest.mark.heavy

FILES = 3_000


@asynccontextmanager
async def stalls() -> AsyncIterator[list[float]]:
    """How long the event loop was held by work of its own, in seconds of processor time, the longest last."""
    found: list[float] = []

    async def watch() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            found.append(time.thread_time() - before)

    task = asyncio.ensure_future(watch())
    try:
        yield found
    finally:
        task.cancel()
        found.sort()


def exact(driver: Driver) -> int:
    return len(encoding("o200k_base").encode(driver.screen.session.payload().text, disallowed_special=()))


@pytest.fixture
def many(project: Project) -> Path:
    return project({f"d{n % 30:02}/f{n:04}.md": f"# File {n}\n\nSome text, {n} words.\n" for n in range(FILES)})


async def test_thousands_of_files(many: Path, run: Run) -> None:
    async with run(many, (120, 35), settle=False) as driver:
        await eventually(driver, lambda: "○ d00" in driver.text())
        assert "3,000 files" in driver.text()
        await driver.press("right", "pagedown", "right", "pagedown", "pagedown", "G", "g")
        assert driver.screen.context_tree.cursor == 0
        await driver.press("a")
        assert mark(driver, "d00") == "●"
        assert f"{FILES:,} picked" in driver.text()
        assert meter(driver).out == exact(driver)
        await driver.press("2", "G")
        assert "3000" in driver.text()
        await driver.press("u")
        assert meter(driver).out == 0


async def test_picking_all_of_thousands_of_rows_does_not_freeze(many: Path, run: Run) -> None:
    async with run(many, (80, 24)) as driver:
        tree = driver.screen.context_tree
        tree.opened = frozenset(node.id for node in driver.screen.session.workspace.tree.walk())
        tree.rebuild()
        await driver.settle()
        assert tree.count > FILES
        async with stalls() as found:
            for key in "aannNtxu":
                await driver.key(key)
            await driver.settle()
        assert found[-1] < 0.5, f"the screen stood still for {found[-1]:.1f} s"


async def test_picking_everything_twice_drops_it_again(many: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.tui.desk.AT_ONCE", 100)
    async with run(many, (120, 35)) as driver:
        await driver.key("a")
        await driver.key("a")
        await driver.settle()
        assert "picked" not in driver.text()
        await driver.press("u")
        assert f"{FILES:,} picked" in driver.text()
        assert meter(driver).out == exact(driver)


async def test_a_document_of_megabytes(project: Project, run: Run) -> None:
    section = "## Section {}\n\n" + "Some words that make a line of text, again and again.\n" * 40 + "\n- [ ] one\n\n"
    text = "# Big\n\n" + "".join(section.format(number) for number in range(2_300))
    assert len(text) > 5_000_000
    async with run(project({"big.md": text, "small.md": "# Small\n"}), (120, 35)) as driver:
        async with stalls() as found:
            await driver.press("@big.md", "enter")
            assert "Section 0" in driver.text()
            await driver.press("G", "1", "space")
            assert meter(driver).out == exact(driver)
            await driver.press("right", "s", "down", "space")
        assert meter(driver).out == exact(driver)
        assert is_unharmed(driver)
        assert found[-1] < 1.0, f"the screen stood still for {found[-1]:.1f} s"
