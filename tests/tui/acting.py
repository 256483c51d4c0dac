"""What tests do with a running app beyond pressing keys: read the meter, click on words, wait for the disk."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.widgets import Static

from tests.tui.conftest import Driver

_METER = re.compile(
    r"^ (?P<behind>~)?(?P<estimate>≈ )?(?:(?P<picked>[\d,]+) picked → )?(?P<out>[\d,]+)(?: out)?"
    r"(?: / (?P<limit>[\d,]+)| tokens, no limit)"
)


@dataclass(frozen=True)
class Reading:
    """The numbers on the meter."""

    out: int
    picked: int | None
    limit: int | None
    is_behind: bool
    is_estimate: bool
    line: str


def meter(driver: Driver) -> Reading:
    """The meter as it stands on the screen."""
    line = driver.text().split("\n")[1]
    found = _METER.match(line)
    assert found, line

    def number(name: str) -> int | None:
        return int(found[name].replace(",", "")) if found[name] else None

    out = number("out")
    assert out is not None
    return Reading(out, number("picked"), number("limit"), bool(found["behind"]), bool(found["estimate"]), line)


def tree_line(driver: Driver, name: str) -> str:
    """The row of the Context panel that shows a name."""
    tree = driver.screen.context_tree
    for strip in tree.render_lines(tree.size.region):
        if re.search(rf"[●◐○] {re.escape(name)}(?=\s|$)", strip.text):
            return strip.text
    raise AssertionError(f"{name} is not shown:\n{driver.text()}")


def mark(driver: Driver, name: str) -> str:
    """The mark in front of a name in the Context panel."""
    found = re.search(rf"([●◐○]) {re.escape(name)}(?=\s|$)", tree_line(driver, name))
    assert found
    return found[1]


def find(driver: Driver, text: str, occurrence: int = 0) -> tuple[int, int]:
    """Column and row of the screen where a text stands."""
    places = [
        (match.start(), y)
        for y, line in enumerate(driver.text().split("\n"))
        for match in re.finditer(re.escape(text), line)
    ]
    assert len(places) > occurrence, f"{text!r} is not on the screen:\n{driver.text()}"
    return places[occurrence]


async def click(driver: Driver, text: str, dx: int = 0, times: int = 1, occurrence: int = 0) -> None:
    """Click on a text of the screen, or so many columns beside its beginning."""
    x, y = find(driver, text, occurrence)
    await driver.pilot.click(offset=(x + dx, y), times=times)
    await driver.settle()


async def eventually(driver: Driver, holds: Callable[[], bool], seconds: float = 5) -> None:
    """Wait for something that the app notices by itself."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, driver.text()
        await driver.pilot.pause(0.02)
    await driver.settle()


def messages(driver: Driver) -> str:
    """All messages that are shown, as one text."""
    return "\n".join(notification.message for notification in driver.app._notifications)


async def answer(driver: Driver, key: str, text: str) -> None:
    """Open a dialog with a key, put a text in the place of what stands in its field, and take it."""
    await driver.press(key)
    await driver.pilot.press("backspace")
    driver.app.post_message(events.Paste(text))
    await driver.press("enter")


async def paste(driver: Driver, text: str) -> None:
    """Paste a text where the focus is, as a terminal does: quicker than keys."""
    driver.app.post_message(events.Paste(text))
    await driver.settle()


def dialog_text(driver: Driver) -> str:
    """The hint or complaint of the open dialog."""
    return str(driver.app.screen.query_one("#dialog-hint", Static).content)
