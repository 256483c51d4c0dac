"""Keys that arrive all at once go where they would have gone one by one."""

from pathlib import Path

import pytest
from textual.events import Key, Paste

from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.screens.search import Search
from ctxtui.tui.widgets.filter_input import FilterInput
from tests.tui.acting import eventually
from tests.tui.conftest import Driver, Run

_NAMES = {" ": "space", "/": "slash", "\r": "enter", "\x1b": "escape"}


def _type_at_once(driver: Driver, keys: str) -> None:
    for key in keys:
        driver.app.post_message(Key(_NAMES.get(key, key), key))


def _filter(driver: Driver) -> list[str]:
    """What stands in the filter of the screen; nothing before it has one."""
    return [field.value for field in driver.app.screen.query(FilterInput)]


async def test_what_is_typed_after_the_filter_key_goes_into_it_and_picks_what_it_shows(driver: Driver) -> None:
    _type_at_once(driver, "/tasks ard")
    await eventually(driver, lambda: driver.screen.query_one("#filter", FilterInput).value == "tasks ard")
    assert not driver.screen.session.picks
    await driver.press("escape", "escape")
    # Once the headings are read, the first matches are all.
    await driver.press("slash", *"review", "escape", "escape")
    _type_at_once(driver, "/review\ra")
    await eventually(driver, lambda: bool(driver.screen.session.picks))
    at_once = driver.screen.session.picks
    await driver.press("u", "a")
    assert driver.screen.session.picks == at_once
    assert len(at_once) < 10


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_a_dialog_gets_its_answer_and_the_list_the_rest(sample: Path, run: Run, size: tuple[int, int]) -> None:
    async with run(sample, size) as driver:
        _type_at_once(driver, "b8k\rj j b9k\r")
        await eventually(driver, lambda: driver.screen.session.budget.limit == 9_000)
        assert driver.app.screen is driver.screen
        assert len({pick.id.split("/")[0] for pick in driver.screen.session.picks}) == 2


async def test_a_screen_gets_what_is_typed_into_it(driver: Driver) -> None:
    _type_at_once(driver, "Sadd")
    await eventually(driver, lambda: isinstance(driver.app.screen, Search) and _filter(driver) == ["add"])
    assert not driver.screen.session.picks
    _type_at_once(driver, "\x1bA/cut")
    await eventually(driver, lambda: isinstance(driver.app.screen, Audit) and _filter(driver) == ["cut"])


async def test_what_is_typed_pasted_and_stored_waits_its_turn(driver: Driver) -> None:
    _type_at_once(driver, "iFix\rit.")
    driver.app.post_message(Key("f2", None))
    _type_at_once(driver, "b9k\r")
    await eventually(driver, lambda: driver.screen.session.budget.limit == 9_000)
    assert driver.screen.session.selection.prompt.text == "Fix\nit."
    driver.app.post_message(Key("b", "b"))
    driver.app.post_message(Paste("7k"))
    driver.app.post_message(Key("enter", "\r"))
    await eventually(driver, lambda: driver.screen.session.budget.limit == 7_000)


async def test_keys_after_the_one_that_quits_do_nothing(driver: Driver) -> None:
    _type_at_once(driver, "qjj a")
    await eventually(driver, lambda: not driver.app.is_running)
    assert not driver.screen.session.picks


async def test_a_key_after_the_last_screen_has_gone_is_no_bug(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        app = driver.app
    assert not app.screen_stack
    for event in (Key("x", "x"), Paste("x")):
        await app.on_event(event)
    assert app.failure is None
