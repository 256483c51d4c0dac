"""Running the real app without a terminal."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Region
from textual.notifications import Notification
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.session.saved.app_state import save_opened
from ctxtui.session.saved.autosave import Restored, from_last
from ctxtui.tui.app import CtxtuiApp
from ctxtui.tui.launch import Launch
from ctxtui.tui.screens.main import MainScreen
from ctxtui.workspace.workspace import Workspace
from tests.tui.acting import Queue, drawn, eventually, handled, handled_by, recorded

# What a terminal sends with the keys that have names.
_NAMED = "space slash full_stop left_square_bracket right_square_bracket vertical_line colon question_mark"
_CHARACTERS = dict(zip(_NAMED.split(), " /.[]|:?", strict=True))

# How long the app waits until keys pause. A test presses the next key once all is done, and would wait each time.
_PAUSES = (
    "actions.related_files.PAUSE panels.context.DEBOUNCE panels.view.DEBOUNCE panels.view.FRAME panels.view.PAUSE "
    "screens.entries.DEBOUNCE screens.main.FRAME screens.search.DEBOUNCE screens.search._SLOW_DEBOUNCE "
    "widgets.preview.DEBOUNCE work.count._BETWEEN_TOTALS work.background.DEBOUNCE work.background._FIRST"
).split()
# Seconds: characters of a word are still a burst.
_PAUSE = 0.01

# Workers that wait for the disk, for a person, or until nobody has pressed a key for a while.
_ENDLESS = ("watch", "dialog", "findings")


class Driver:
    """A running app, with words for what tests do with it."""

    def __init__(self, app: CtxtuiApp, pilot: Pilot[Any], told: Sequence[Notification] = ()) -> None:
        self.app = app
        self.pilot = pilot
        self.told = told
        self.is_seen = False
        self._text = ""
        self._settled: object = None

    @property
    def screen(self) -> MainScreen:
        """The main screen, also while a dialog lies over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, MainScreen))

    @property
    def is_between_dialogs(self) -> bool:
        """Whether a dialog is about to open, or what it decided is under way."""
        workers = [each for each in self.app.workers if each.group == "dialog" and not each.is_finished]
        return self.app.is_running and any(each.node.screen is self.app.screen for each in workers)

    async def settle(self) -> None:
        """Wait until nothing is under way but the watcher, which never ends, and a dialog that is open.

        Drawing takes half of the time that a test takes: what comes meanwhile is laid out and drawn once.
        """
        self.is_seen = False
        quiet = 0
        while self.app.is_running and quiet < 2:
            with self.app.batch_update():
                has_waited = await self.work()
            await self.frame()
            # What a worker left to be done after the frame may start another, and a new screen needs a second one.
            await handled(self.app)
            is_new = self.app.is_running and self.app.screen is not self._settled
            self._settled = self.app.screen if self.app.is_running else None
            quiet = quiet + (1 if has_waited or is_new else 2) if self._is_quiet else 0

    @property
    def _is_quiet(self) -> bool:
        if not self.app.is_running:
            return True
        under_way = [each for each in self.app.workers if each.group not in _ENDLESS and not each.is_finished]
        return not under_way and not self.is_between_dialogs

    async def work(self) -> bool:
        """Wait for workers and for those that they start, but not for one that itself waits for the next frame.

        Returns whether there were any.
        """
        await handled(self.app)
        if self._is_quiet:
            return False
        deadline = time.monotonic() + 0.5
        while not self._is_quiet and time.monotonic() < deadline:
            await asyncio.sleep(0.004)
        await handled(self.app)
        return True

    async def frame(self) -> None:
        """Wait until the screen has been drawn, unless the app is about to end."""
        self.is_seen = False
        is_drawn = asyncio.Event()
        if self.app.is_running and self.app.screen.call_after_refresh(is_drawn.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(is_drawn.wait(), 0.5)

    async def press(self, *steps: str) -> None:
        """Press keys, each on what the one before has caused, but the characters of a word in a field at once.

        `@` stands before a node of the tree to go to, `=` before a tab of View to open.
        """
        for key, following in zip_longest(steps, steps[1:], fillvalue=""):
            if len(key) > 1 and key[0] in "@=":
                await (self.go_to(key[1:]) if key[0] == "@" else self.open_tab(key[1:]))
                continue
            with self.app.batch_update():
                await self.key(key)
            if not (len(key) == len(following) == 1 and isinstance(self.app.focused, Input)):
                await self.settle()

    async def key(self, key: str) -> None:
        """One key as the terminal sends it; handled, but what it started may go on, as when people type fast."""
        self.is_seen = False
        name = next((name for name, character in _CHARACTERS.items() if character == key), key)
        self.app.post_message(events.Key(name, _CHARACTERS.get(name, name if len(name) == 1 else None)))
        # To the app, to the screen, to the widget, and back with what the widget posts.
        for _ in range(4):
            if self.app.is_running:
                await handled_by(self.app, self.app, self.app.screen, *filter(None, [self.app.focused]))

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.settle()

    async def go_to(self, id_: str) -> None:
        """Put the tree's cursor on a node, opening what lies above it."""
        tree = self.screen.context_tree
        assert self.screen.session is not None
        node = self.screen.session.workspace.find(id_)
        assert node is not None, id_
        if node.kind == "folder":
            names = id_.split("/")[:-1]
            tree.opened |= {f"{'/'.join(names[:depth])}/" for depth in range(1, len(names))}
            tree.rebuild(id_)
        else:
            tree.reveal(node)
        tree.focus()
        await self.settle()

    async def pick(self, *ids: str) -> None:
        for id_ in ids:
            await self.press(f"@{id_}", "space")

    async def open_tab(self, tab: str) -> None:
        self.screen.view.tab = tab
        await self.settle()

    def text(self) -> str:
        """What is on the screen, drawn once between what happens."""
        if not self.is_seen:
            self._text = "\n".join(line.text.rstrip() for line in drawn(self.app))
            self.is_seen = True
        return self._text


Run = Callable[..., AbstractAsyncContextManager[Driver]]


@pytest.fixture(scope="session", autouse=True)
def quick_textual() -> Iterator[None]:
    """Parse each stylesheet once, an eighth of an app's start, and take queues that say when they are empty.

    Rules are told apart by identity, a million times in five tests, which needs no Python. Nobody types slowly.
    """
    parse = Stylesheet._parse_rules
    kept: dict[object, list[RuleSet]] = {}

    def parsed(sheet: Stylesheet, css: str, **named: Any) -> list[RuleSet]:
        key = (frozenset(sheet._variables.items()), css, *named.items())
        if key not in kept:
            kept[key] = parse(sheet, css, **named)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        patch.setattr("textual.message_pump.Queue", Queue)
        for name in _PAUSES:
            patch.setattr(f"ctxtui.tui.{name}", _PAUSE)
        yield


@pytest.fixture
def frames() -> None:
    """For tests of what the app learns while it draws."""


@pytest.fixture(autouse=True)
def _frames_are_drawn_when_somebody_looks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal takes the frames, and drawing is a third of the time: `drawn` draws what a test looks at.

    Heavy tests, such as those that press every key, and those that use `frames` draw each frame.
    """
    is_drawing = request.node.get_closest_marker("heavy") is not None or "frames" in request.fixturenames
    real = Compositor.render_update

    def render(compositor: Compositor, full: bool = False, **options: Any) -> object:
        if full:
            # A picture of the screen.
            return real(compositor, full, **options)
        changed = [*compositor._dirty_regions]
        compositor._dirty_regions.clear()
        if changed and is_drawing:
            visible_screen_stack.set(options["screen_stack"])
            deque(compositor._get_renders(Region.from_union(changed)), maxlen=0)
        return None

    monkeypatch.setattr(Compositor, "render_update", render)
    # Nobody sees these frames: they need not wait for their turn.
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 0.002)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Starts the app on a folder, which is audited in the background if asked; `launch` options as for `Launch`.

    The folders are closed unless they shall be `opened` as the app does at its start.
    """

    @asynccontextmanager
    async def start(
        path: Path,
        size: tuple[int, int] = (160, 45),
        restore: bool = False,
        settle: bool = True,
        audits: bool = False,
        opened: bool = False,
        **launch: object,
    ) -> AsyncIterator[Driver]:
        # The audit in the background starts at once, or not within a test.
        monkeypatch.setattr("ctxtui.tui.work.findings.IDLE", 0.0 if audits else 3600.0)
        opening: Future[Workspace] = Future()
        opening.set_result(Workspace.open(path, on_notice=lambda _notice: None))
        if settle and not opened:
            # As they were left: to close them in the app would be too early before all files are counted.
            save_opened(opening.result().root, frozenset())

        def first(workspace: Workspace) -> Restored:
            return from_last(workspace.session()) if restore else Restored(workspace.session())

        app = CtxtuiApp(opening, Launch(first, **launch))  # type: ignore[arg-type]
        app.animation_level = "none"
        told: list[Notification] = []
        starting = ExitStack()
        if settle:
            # What comes until the project is open is drawn once.
            starting.enter_context(app.batch_update())
        async with app.run_test(size=size, notifications=True, message_hook=recorded(told)) as pilot:
            driver = Driver(app, pilot, told)
            if settle:
                await driver.work()
                starting.close()
                await driver.settle()
            else:
                await driver.frame()
            if audits:
                await eventually(driver, lambda: driver.screen.desk.findings.report is not None, 30)
            yield driver
            # What was never looked at has to be drawn without a failure as well.
            if app.is_running and not driver.is_seen:
                drawn(app)

    return start


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the app runs; nothing it copies reaches a clipboard."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTXTUI_CLIPBOARD", "off")
    return tmp_path


@pytest.fixture
async def driver(sample: Path, run: Run) -> AsyncIterator[Driver]:
    """The app on the sample project."""
    async with run(sample) as driver:
        yield driver
