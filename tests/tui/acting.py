"""What tests do with a running app beyond pressing keys: read the meter, click on words, wait for the disk."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import textual._queue
from textual import events
from textual._context import visible_screen_stack
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.notifications import Notification, Notify
from textual.strip import Strip
from textual.widgets import OptionList, Static

from ctxtui.tui.keys.commands import VIEWS
from ctxtui.tui.widgets.rows import ItemRows

if TYPE_CHECKING:
    from tests.tui.conftest import Driver

# How long an app may take for what it is waited for, in seconds.
_PATIENCE = 30.0

_METER = re.compile(
    r"^ (?P<behind>~)?(?:(?:≈ )?(?P<picked>[\d,]+) picked → )?(?P<estimate>≈ )?(?P<out>[\d,]+)(?: out)?"
    r"(?: / (?P<limit>[\d,]+)| tokens, no limit)"
)


def drawn(app: App[Any]) -> list[Strip]:
    """The lines of the screen as a terminal gets them.

    Textual's public way is a picture, an SVG: it takes longer, and it no longer tells cells, links and characters apart.
    """
    # What lies below a dialog is drawn as well.
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


async def handled(app: App[Any]) -> None:
    """Wait until the app and every widget have handled what was sent to them so far, or the app has ended."""
    if app.is_running:
        await handled_by(app, app, *app.screen.walk_children(with_self=True))


async def handled_by(app: App[Any], *those: MessagePump) -> None:
    """Wait for some of them alone."""
    deadline = time.monotonic() + _PATIENCE
    # What was sent from threads comes into the queues first.
    await asyncio.sleep(0)
    while app.is_running and (
        busy := [each for each in those if each.is_running and not each._message_queue.idle.is_set()]
    ):
        assert time.monotonic() < deadline, "the app does not handle what it is sent"
        with suppress(TimeoutError):
            await asyncio.wait_for(busy[0]._message_queue.idle.wait(), 0.2)


class Queue(textual._queue.Queue[Any]):
    """Textual's queue of a widget's messages, which says when all of them are handled.

    To ask each widget by a message of its own is nine tenths of the messages that a key causes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.idle = asyncio.Event()

    def put_nowait(self, value: Any) -> None:
        self.idle.clear()
        super().put_nowait(value)

    async def get(self) -> Any:
        if self.empty():
            self.idle.set()
        return await super().get()


def recorded(told: list[Notification]) -> Callable[[Message], None]:
    """A hook for what the app is sent: keeps every notification."""

    def hook(message: Message) -> None:
        if isinstance(message, Notify):
            told.append(message.notification)

    return hook


def is_unharmed(driver: Driver) -> bool:
    """Whether no error has ended the app."""
    return not driver.app.return_code


@dataclass(frozen=True)
class Reading:
    out: int
    picked: int | None
    limit: int | None
    is_behind: bool
    is_estimate: bool
    line: str


def meter(driver: Driver) -> Reading:
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
        if re.search(rf"[●◐○] (?:[■▦▒▤] )?{re.escape(name)}(?=\s|$)", strip.text):
            return strip.text
    raise AssertionError(f"{name} is not shown:\n{driver.text()}")


def mark(driver: Driver, name: str) -> str:
    """The mark in front of a name in the Context panel."""
    found = re.search(rf"([●◐○]) (?:[■▦▒▤] )?{re.escape(name)}(?=\s|$)", tree_line(driver, name))
    assert found
    return found[1]


def listed(driver: Driver) -> ItemRows[Any]:
    """The rows of the list that is open."""
    return driver.app.screen.query_one("#rows", ItemRows)


async def to_row(driver: Driver, holds: Callable[[Any], object]) -> None:
    """Put the cursor of the list that is open on the first row of which something holds."""
    listed(driver).move(next(place for place, row in enumerate(listed(driver).items) if holds(row)))
    await driver.settle()


def choices(driver: Driver) -> list[str]:
    """What the open dialog offers."""
    return [str(each.prompt) for each in driver.app.screen.query_one(OptionList).options]


def picked(driver: Driver) -> list[str]:
    """The ids of the picks, in order."""
    return [pick.id for pick in driver.screen.session.picks]


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


async def eventually(driver: Driver, holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something that the app notices by itself; a busy machine may take its time."""
    await meanwhile(driver, holds, seconds)
    await driver.settle()


async def meanwhile(driver: Driver, holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something that the app shows while other work is not done."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, driver.text()
        await asyncio.sleep(0.02)
        await driver.frame()


def to_view(view: str) -> tuple[str, ...]:
    """The keys that open a view of the audit from the main screen."""
    tab = next(name for name, views in VIEWS.items() if view in views)
    return ("A", *["right_square_bracket"] * list(VIEWS).index(tab), *["v"] * VIEWS[tab].index(view))


def told_text(driver: Driver) -> str:
    """The messages that were shown, a line each."""
    return "\n".join(each.message for each in driver.told)


async def answer(driver: Driver, key: str, text: str) -> None:
    """Open a dialog with a key, put a text in the place of what stands in its field, and take it."""
    await driver.press(key)
    await driver.key("backspace")
    driver.app.post_message(events.Paste(text))
    await driver.press("enter")


async def paste(driver: Driver, text: str) -> None:
    """Paste a text where the focus is, as a terminal does: quicker than keys."""
    driver.app.post_message(events.Paste(text))
    await driver.settle()


def dialog_text(driver: Driver) -> str:
    """The hint or complaint of the open dialog."""
    return str(driver.app.screen.query_one("#dialog-hint", Static).content)
