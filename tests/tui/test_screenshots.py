"""The pictures in `screenshots/` are what the app draws on `sample_context`, byte for byte.

`pytest tests/tui/test_screenshots.py --rewrite-screenshots` draws them anew.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.tui.conftest import Driver, Run

FOLDER = REPOSITORY / "screenshots"
Scene = Callable[[Driver], Awaitable[None]]


async def start(_driver: Driver) -> None:
    """The first look at a project."""


async def curate(driver: Driver) -> None:
    """Two files and a section of a third, within a budget, the constitution pinned."""
    for id_ in (".context/CONSTITUTION", "AGENTS.md", ".context/TASKS#in-progress", "python/fastapi_patterns"):
        await driver.go_to(id_)
        await driver.press("space")
    await driver.press("b", *"12k", "enter")
    await driver.go_to(".context/TASKS#done")


async def over(driver: Driver) -> None:
    """Over the budget: what was cut, and the exported text."""
    await driver.go_to(".context/")
    await driver.press("space", "F")
    await driver.press("b", *"4000", "enter")
    await driver.press("2", "G", "enter")


async def reference(driver: Driver) -> None:
    """Declared against exact tokens."""
    await driver.go_to("python/fastapi_patterns")
    driver.screen.view.tab = "reference"
    await driver.settle()


async def sections(driver: Driver) -> None:
    """The section picker."""
    await driver.go_to("python/fastapi_patterns")
    await driver.press("s", "j", "j", "space", "j", "space")


async def filtered(driver: Driver) -> None:
    """Files and headings that match."""
    await driver.press("slash", *"roll", "tab")


async def problems(driver: Driver) -> None:
    """A secret that will not leave."""
    await driver.go_to("entries/key-in-screenshot")
    await driver.press("space", "P")


async def detect(driver: Driver) -> None:
    """The five steps of a catalog for this project."""
    await driver.press("D", "a")
    driver.app.clear_notifications()
    await driver.settle()


async def search(driver: Driver) -> None:
    """What the texts hold, as one types."""
    await driver.press("S", "f2", *"idempotent", "tab")


async def tasks(driver: Driver) -> None:
    """A task list narrowed to its open tasks."""
    await driver.go_to(".context/TASKS#in-progress")
    await driver.press("T")
    driver.screen.view.tab = "output"
    await driver.settle()


async def entries(driver: Driver) -> None:
    """Business entries, filtered as one types."""
    await driver.press("B", "slash", *"#billing", "tab", "up")


async def audit(driver: Driver) -> None:
    """What is wrong, and what it costs."""
    await driver.press("A")


async def agents(driver: Driver) -> None:
    """What every agent loads, and when."""
    await driver.press("A", "right_square_bracket")


async def help_(driver: Driver) -> None:
    """All keys."""
    await driver.press("question_mark")


SCENES: dict[str, tuple[tuple[int, int], Scene]] = {
    "start": ((160, 45), start),
    "curate": ((160, 45), curate),
    "over-budget": ((160, 45), over),
    "medium": ((120, 35), curate),
    "narrow": ((80, 24), curate),
    "reference": ((120, 35), reference),
    "sections": ((120, 35), sections),
    "filter": ((120, 35), filtered),
    "problems": ((120, 35), problems),
    "detect": ((120, 35), detect),
    "search": ((120, 35), search),
    "tasks": ((120, 35), tasks),
    "entries": ((120, 35), entries),
    "audit": ((140, 40), audit),
    "agents": ((140, 40), agents),
    "help": ((120, 60), help_),
}


@pytest.mark.parametrize("name", SCENES)
async def test_the_app_looks_like_its_screenshot(
    name: str, sample: Path, run: Run, request: pytest.FixtureRequest
) -> None:
    size, scene = SCENES[name]
    async with run(sample, size) as driver:
        await scene(driver)
        driver.app.clear_notifications()
        await driver.settle()
        # With what lies below a dialog.
        driver.app.refresh()
        await driver.settle()
        drawn = driver.app.export_screenshot(title="ctxtui")
    picture = FOLDER / f"{name}.svg"
    if request.config.getoption("--rewrite-screenshots"):
        picture.write_text(drawn, "utf-8")
    assert picture.read_text("utf-8") == drawn, f"{picture.name} is out of date: --rewrite-screenshots draws it anew"


def test_every_screenshot_has_a_scene() -> None:
    assert {picture.stem for picture in FOLDER.glob("*")} == set(SCENES)
