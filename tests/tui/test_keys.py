"""Keys: every one of the table in every panel, none of them while a text field has the focus."""

import re
import string
from collections.abc import Collection
from concurrent.futures import Future
from importlib import import_module
from itertools import product
from pathlib import Path
from pkgutil import iter_modules, walk_packages

import pytest
from rich.cells import cell_len
from textual import events
from textual._context import active_message_pump
from textual.binding import Binding
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, TextArea

import ctxtui.tui
from ctxtui.session.saved.autosave import Restored
from ctxtui.tui import screens
from ctxtui.tui.app import CtxtuiApp
from ctxtui.tui.base_app import BaseApp
from ctxtui.tui.keys.commands import (
    COMMANDS,
    OVERLAYS,
    PANELS,
    SCREENS,
    VIEWS,
    bound,
    by_group,
    first_key,
    footer,
    on_screen,
)
from ctxtui.tui.launch import Launch, Outcome
from ctxtui.tui.panels.context import ContextPanel
from ctxtui.tui.panels.payload import PayloadPanel
from ctxtui.tui.panels.view import ViewPanel
from ctxtui.tui.screens.help import Help
from ctxtui.tui.screens.main import ACTIONS
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.picture import Picture
from ctxtui.tui.widgets.rows import Rows
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.acting import is_unharmed, mark, meter, told_text
from tests.tui.conftest import Driver, Run

_ALL = [key for one in on_screen("main") if one.group != "field" and one.id != "quit" for key in one.keys.split(",")]
KEYS = list(dict.fromkeys(_ALL))
_OPEN_DIALOGS = "budget model prompt export run save open palette help filter".split()
DIALOGS = [command.keys for command in on_screen("main") if command.id in _OPEN_DIALOGS]
LISTS = ("context", "payload")
PARTS: dict[type, str] = {Rows: "list", Page: "list", Picture: "list", FilterInput: "field"}
PARTS |= {ContextPanel: "context", PayloadPanel: "payload", ViewPanel: "view"}


def is_there(driver: Driver, place: str) -> bool:
    """Whether the focus is on a panel, or on a tab of the View."""
    screen = driver.screen
    return screen.panel == place or (screen.panel == "view" and screen.view.tab == place)


async def go_to(driver: Driver, place: str) -> None:
    if place not in LISTS:
        driver.screen.view.tab = place
    if place == "payload" and not driver.screen.payload_panel.has_picks:
        # A key dropped all picks, and an empty payload has no panel.
        driver.screen.desk.attempt(lambda session: session.pick("AGENTS.md"))
        await driver.settle()
    driver.screen.show_panel(place if place in LISTS else "view")
    await driver.frame()
    assert is_there(driver, place)


async def close_all(driver: Driver) -> None:
    """Escape leaves whatever is open: dialogs, lists, the palette, the filter, the zoom."""
    while driver.is_between_dialogs:
        await driver.frame()
    for _ in range(4):
        if driver.app.screen is driver.screen and not isinstance(driver.app.focused, Input):
            return
        await driver.key("escape")
        await driver.frame()
    raise AssertionError(f"escape does not leave {driver.app.screen}")


async def try_every_key(driver: Driver, place: str, but: Collection[str] = ()) -> None:
    """Press every key in a panel; nothing that it causes, or draws, is an error."""
    for key in KEYS:
        if key in but:
            continue
        if not is_there(driver, place):
            await go_to(driver, place)
        await driver.key(key)
        await driver.frame()
        await close_all(driver)
        assert is_unharmed(driver), (place, key)
        if key == "a":
            # Drop them again: measuring the whole project for every key to come takes long.
            await driver.key(key)
    await driver.settle()
    assert is_unharmed(driver), place


async def quit_by_key(driver: Driver) -> None:
    await driver.press("q")
    assert is_unharmed(driver)
    assert isinstance(driver.app.return_value, Outcome)
    assert driver.app.return_value.kind == "quit"


@pytest.mark.heavy
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("places", [("context", "payload", "start"), ("sections", "output")])
async def test_every_key_in_every_panel(places: tuple[str, ...], sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("down", "space")
        for place in places:
            # A dialog over the other tabs is the same, and drawing it takes long.
            await try_every_key(driver, place, but=() if place in (*LISTS, "start") else DIALOGS)
        await quit_by_key(driver)


@pytest.mark.heavy
@pytest.mark.usefixtures("here")
async def test_every_key_on_a_wide_screen(sample: Path, run: Run) -> None:
    async with run(sample, (160, 45)) as driver:
        await driver.press("down", "space")
        await try_every_key(driver, "context")
        await quit_by_key(driver)


@pytest.mark.usefixtures("here")
async def test_every_key_in_an_empty_project(project: Project, run: Run) -> None:
    async with run(project({}), (80, 24)) as driver:
        await try_every_key(driver, "context")
        await quit_by_key(driver)


TYPED = string.ascii_letters + string.digits + "/.,:?|[] "


async def test_what_is_typed_in_a_field_stays_there(sample: Path, run: Run, here: Path) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
        for key in ("slash", "b", "e", "w", "vertical_line", "i", "m", "o"):
            await driver.press(key)
            session, field = driver.screen.session, driver.app.focused
            assert isinstance(field, Input | TextArea), key
            screens = len(driver.app.screen_stack)
            await driver.press("ctrl+u")
            for character in TYPED:
                await driver.key(character)
            await driver.settle()
            assert (field.value if isinstance(field, Input) else field.text) == TYPED
            assert driver.screen.session is session
            assert driver.app.focused is field
            assert len(driver.app.screen_stack) == screens
            await close_all(driver)


def shown_keys(driver: Driver) -> list[str]:
    return re.split(r"\s{2,}", driver.text().split("\n")[-1].strip())


async def test_the_footer_shows_few_keys_and_those_of_a_filter_while_words_are_typed(driver: Driver) -> None:
    for (width, most), panel in product({80: 7, 100: 9, 120: 11, 160: 12}.items(), "123"):
        await driver.resize(width, 24)
        await driver.press(panel)
        items = shown_keys(driver)
        assert 4 <= len(items) <= most, items
        assert items[-2:] == ["? all", "q quit"]
        assert all(re.fullmatch(r"\S+ \S+( \S+)?", item) for item in items), items
    await driver.press("A", "slash")
    assert shown_keys(driver) == ["enter to the list", "esc clear", "f1 all"]
    await driver.press("enter")
    assert "y copy" in shown_keys(driver)


async def test_the_footer_of_a_pipe_begins_with_sending(sample: Path, run: Run) -> None:
    for width, most in ((80, 7), (120, 11)):
        async with run(sample, (width, 24), is_piped=True) as driver:
            assert driver.text().split("\n")[-1].startswith(" PIPE  e send and quit   q cancel")
            assert len(shown_keys(driver)) - 1 <= most


def test_every_binding_comes_from_the_table() -> None:
    classes: list[type] = [Screen]
    for module in iter_modules(screens.__path__):
        import_module(f"{screens.__name__}.{module.name}")
    for each in classes:
        classes += each.__subclasses__()
    own = {
        each.__dict__["NAME"]: each
        for each in classes
        if each.__module__.startswith(screens.__name__) and "NAME" in each.__dict__
    }
    assert set(own) == set(SCREENS)
    places = PARTS | {each: name for name, each in own.items()}
    for owner, place in places.items():
        action = "do('{}')" if place == "main" else "{}"
        commands = [(each.keys, action.format(each.id), each.id) for each in bound(place)]
        bindings = [each for each in owner.__dict__["BINDINGS"] if isinstance(each, Binding)]
        assert [(each.key, each.action, each.id) for each in bindings] == commands, place
        assert len(owner.__dict__["BINDINGS"]) == len(commands)
        for command in bound(place):
            method = getattr(owner, f"action_{command.id}", None)
            assert command.id in ACTIONS if place == "main" else callable(method), f"{place}: {command.id}"


def test_no_other_class_binds_keys() -> None:
    for module in walk_packages(ctxtui.tui.__path__, "ctxtui.tui."):
        for name, kind in vars(import_module(module.name)).items():
            if isinstance(kind, type) and kind.__module__ == module.name and kind.__dict__.get("BINDINGS"):
                # ctrl-z of the app is a signal of the terminal, and no command.
                assert "NAME" in kind.__dict__ or kind in PARTS or kind is BaseApp, f"{module.name}.{name}"


def test_ids_and_keys_mean_one_thing_on_a_screen_and_are_all_listed_and_reached() -> None:
    for screen in SCREENS:
        ids = [command.id for command in bound(screen)]
        assert len(ids) == len(set(ids)), screen
    by_id = {command.id: command.keys for command in COMMANDS}
    assert [each for each in COMMANDS if by_id[each.id] != each.keys] == []
    for screen in SCREENS:
        keys = [key for each in on_screen(screen) if each.group != "field" for key in each.keys.split(",")]
        assert len(keys) == len(set(keys)), screen
    listed = [command for _, commands in by_group() for command in commands]
    assert len(listed) == len(COMMANDS)
    assert set(listed) == set(COMMANDS)
    for command in COMMANDS:
        assert any("ctrl" not in key and "alt" not in key for key in command.keys.split(",")), command.id
    for panel in ("context", "payload", "view"):
        assert footer("main", panel, 99)
        assert len({command.label for command in footer("main", panel, 7)}) == 7 or panel == "view"


def test_each_view_of_the_audit_is_sorted_by_a_key_of_the_footer_or_listed_here() -> None:
    unsorted = {"matrix", "touch", "servers", "logs", "map", "history"}
    every = {view for views in VIEWS.values() for view in views}
    panels = {command.id: set(command.panels) for command in bound("audit")}
    assert panels["sort"] == every - unsorted
    assert set().union(*panels.values()) <= every


async def test_keys_can_be_remapped(sample: Path, run: Run) -> None:
    async with run(sample, (160, 80), keys={"pick": "5", "down": "W", "filter": "ctrl+f"}) as driver:
        assert "W is the key of both down and start_folder (audit)" in told_text(driver)
        await driver.pick("AGENTS.md")
        assert mark(driver, "AGENTS.md") == "○"
        await driver.press("5")
        assert mark(driver, "AGENTS.md") == "●"
        await driver.press("W", "5")
        assert mark(driver, "CLAUDE.md") == "●"
        assert "5 pick" in driver.text().split("\n")[-1]
        assert "ctrl+f filter" in driver.text().split("\n")[-1]
        await driver.press("ctrl+f")
        assert isinstance(driver.app.focused, Input)
        await driver.press("escape", "question_mark", "right_square_bracket")
        assert re.search(r"\bW +one row down", driver.text())
    assert is_unharmed(driver)


REMAPPED = {"next_tab": "5", "help": "H", "entries": "6", "close": "f7", "scope": "f8"}
REMAPPED |= {"field_pick": "f9", "field_clear": "f10"}


@pytest.mark.parametrize(("width", "most"), [(80, 7), pytest.param(120, 11, marks=pytest.mark.heavy)])
async def test_keys_are_remapped_on_every_screen(width: int, most: int, sample: Path, run: Run) -> None:
    places = {"audit": "A", "detect": "D", "entries": "6", "search": "S"}
    assert set(places) == set(OVERLAYS)
    async with run(sample, (width, 30), keys=REMAPPED) as driver:
        for screen, opening in places.items():
            await driver.press(opening)
            items = re.split(r"\s{2,}", str(driver.app.screen.query_one(KeyBar).render()).strip())
            assert 3 <= len(items) <= most
            # A text field takes H as a character.
            assert items[-2:] == ["H all", "esc close"] if screen != "search" else items[-1] == "esc close"
            found = {each.name: each.about for each in driver.app.commands()}
            for command in bound(screen):
                if command.id not in ("palette", "close"):
                    # While somebody types, keys that write do nothing else.
                    about = found.get(command.id.replace("_", " "), first_key(command, REMAPPED))
                    assert about.startswith(first_key(command, REMAPPED)), screen
                    assert screen == "search" or command.id.replace("_", " ") in found
            before = driver.text()
            if screen in ("audit", "detect"):
                assert any(item.startswith("[ 5 ") for item in items)
                await driver.press("right_square_bracket")
                assert driver.text() == before
                await driver.press("5")
                assert driver.text() != before
            elif screen == "search":
                assert items[0] == "f9 pick"
                await driver.press("f2")
                assert "[All]" in driver.text()
                await driver.press("f8")
                assert "[Meta]" in driver.text()
            await driver.press("f10" if screen == "search" else "f7")
            assert driver.app.screen is driver.screen


async def test_the_palette_runs_commands_of_the_screen_and_the_panel_in_focus(driver: Driver) -> None:
    await driver.press("A", "colon", *"next tab", "enter")
    assert "[Agents]" in driver.text()
    await driver.press("escape", "colon", *"format", "enter")
    assert " xml " in driver.text().split("\n")[0]
    assert meter(driver).out == 0
    await driver.press("space", "colon", *"clear", "enter")
    assert not driver.screen.session.picks
    await driver.press("u")
    await driver.resize(80, 24)
    for key, panel in enumerate(PANELS, 1):
        await driver.press(str(key))
        known = {command.id.replace("_", " ") for command in (*bound(panel), *bound("main"))}
        assert {each.name for each in driver.app.commands()} >= known - {"palette"}
    await driver.press("colon", *"recipe")
    assert "save" in driver.text(), "a command is found by what it does"


async def test_the_help_of_a_screen_begins_with_its_own_keys(sample: Path, run: Run) -> None:
    async with run(sample, (120, 40), keys={"view": "5"}) as driver:
        for opening, screen in (("escape", "main"), ("A", "audit")):
            await driver.press(opening, "question_mark", "right_square_bracket")
            assert isinstance(driver.app.screen, Help)
            text = "".join(f"{row.text}\n" for row in driver.app.screen.rows.items)
            own, _, others = text.partition("Signs")
            known = on_screen(screen)
            # Other screens move in the same way.
            for command in (each for each in COMMANDS if each in known or each.group != "move"):
                assert f"{command.help}\n" in (own if command in known else others), (screen, command.id)
            assert re.search(r"^5 +show the next view", text, re.MULTILINE)
            await driver.press("question_mark")
            assert driver.app.screen.query("KeyBar"), "the key that opened the help leaves it"


async def test_keys_stand_below_their_heading_and_keep_all_words(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24), keys={"budget": "日"}) as driver:
        await driver.press("question_mark")
        heading, *keys = driver.text().split("\n")[3:17]
        assert heading == ">▾ The first keys"
        assert all(re.match(r" {5}\S| {21}\S", line) for line in keys)
        assert [cell_len(line.partition("set the limit")[0]) for line in keys if "日" in line] == [21]
        assert "…" not in driver.text()


async def test_fast_keys_mean_what_is_on_the_screen_next(driver: Driver) -> None:
    """`s` and `space` in one burst pick a section of this document, never of the one read before."""
    await driver.press("@.context/TASKS", "s", "1")
    for key in ("down", "s", "space"):
        await driver.key(key)
    await driver.settle()
    assert ".context/TASKS" not in [pick.id for pick in driver.screen.session.picks]


async def test_keys_do_no_harm_while_the_project_opens(sample: Path) -> None:
    opening: Future[Workspace] = Future()
    app = CtxtuiApp(opening, Launch(lambda workspace: Restored(workspace.session())))
    async with app.run_test(size=(160, 45)) as pilot:
        driver = Driver(app, pilot)
        for panel, key in product("13", KEYS):
            await driver.key(panel)
            await driver.key(key)
            await driver.frame()
            await close_all(driver)
            assert is_unharmed(driver), key
        for key in ("slash", *"runbook"):
            await driver.key(key)
        opening.set_result(Workspace.open(sample, on_notice=lambda _notice: None))
        await driver.settle()
        assert "docs/runbook.md" in driver.text()
        await driver.press("escape")
        assert "AGENTS.md" in driver.text()


async def test_what_is_typed_while_the_app_starts_does_not_land_in_the_filter(sample: Path) -> None:
    opening: Future[Workspace] = Future()
    opening.set_result(Workspace.open(sample, on_notice=lambda _notice: None))
    app = CtxtuiApp(opening, Launch(lambda workspace: Restored(workspace.session())))
    focused: list[object] = []

    def hook(message: Message) -> None:
        if isinstance(message, events.Focus):
            focused.append(active_message_pump.get())

    async with app.run_test(message_hook=hook) as pilot:
        await pilot.pause()
        assert focused
        assert not any(isinstance(each, FilterInput) for each in focused)


async def test_escape_leads_from_view_back_to_the_list(driver: Driver) -> None:
    screen = driver.screen
    await driver.pick("AGENTS.md")
    for size in ((160, 45), (80, 24)):
        await driver.resize(*size)
        await driver.press("1", "enter")
        assert screen.view.page.has_focus
        assert "esc back" in driver.text().split("\n")[-1]
        await driver.press("escape")
        assert screen.context_tree.has_focus
        await driver.press("2", "enter", "escape")
        assert screen.blocks.has_focus
