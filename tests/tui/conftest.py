"""Running the real app without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from ctxtui.session.restore import Restored, from_last
from ctxtui.tui.app import CtxtuiApp
from ctxtui.tui.outcome import Launch
from ctxtui.tui.screens.main import MainScreen
from ctxtui.workspace.workspace import Workspace

# What a terminal sends with the keys that have names.
_CHARACTERS = {
    "space": " ",
    "slash": "/",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "vertical_line": "|",
    "colon": ":",
    "question_mark": "?",
}

# Workers that wait for the disk or for a person.
_ENDLESS = ("watch", "dialog")


class Driver:
    """A running app, with words for what tests do with it."""

    def __init__(self, app: CtxtuiApp, pilot: Pilot[object]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> MainScreen:
        """The main screen, also while a dialog lies over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, MainScreen))

    @property
    def _is_between_dialogs(self) -> bool:
        """Whether a dialog is about to open, or what it decided is under way."""
        workers = [each for each in self.app.workers if each.group == "dialog" and not each.is_finished]
        return bool(workers) and self.app.is_running and self.app.screen is self.screen

    async def settle(self) -> None:
        """Wait until nothing is under way but the watcher, which never ends, and a dialog that is open."""
        quiet = 0
        while quiet < 2:
            await self.pilot.pause()
            under_way = [each for each in self.app.workers if each.group not in _ENDLESS and not each.is_finished]
            is_quiet = not under_way and not self._is_between_dialogs
            quiet = quiet + 1 if is_quiet else 0
            for worker in under_way:
                # A newer worker of the same group may take its place meanwhile.
                with suppress(WorkerCancelled):
                    await worker.wait()
            # What a worker left to be done after the next frame may start another.
            await self._frame()

    async def _frame(self) -> None:
        """Wait until the screen has been drawn, unless the app is about to end."""
        drawn = asyncio.Event()
        if self.app.screen.call_after_refresh(drawn.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(drawn.wait(), 0.5)

    async def press(self, *keys: str) -> None:
        """Press keys and wait for what they cause."""
        await self.pilot.press(*keys)
        await self.settle()

    async def key(self, key: str) -> None:
        """One key as the terminal sends it; handled, but what it started may go on, as when people type fast."""
        self.app.post_message(events.Key(key, _CHARACTERS.get(key, key if len(key) == 1 else None)))
        handled = asyncio.Event()
        self.app.call_later(handled.set)
        await handled.wait()
        # To the screen, to the widget, and back with what the widget posts.
        for _ in range(3):
            await self.pilot._wait_for_screen()

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

    def text(self) -> str:
        """What is on the screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(line.text.rstrip() for line in lines)


Run = Callable[..., AbstractAsyncContextManager[Driver]]


@pytest.fixture
def run() -> Run:
    """Starts the app on a folder; `launch` options as for `Launch`."""

    @asynccontextmanager
    async def start(
        path: Path, size: tuple[int, int] = (160, 45), restore: bool = False, settle: bool = True, **launch: object
    ) -> AsyncIterator[Driver]:
        opening: Future[Workspace] = Future()
        opening.set_result(Workspace.open(path, on_notice=lambda _notice: None))

        def first(workspace: Workspace) -> Restored:
            return from_last(workspace.session()) if restore else Restored(workspace.session())

        app = CtxtuiApp(opening, Launch(first, **launch))  # type: ignore[arg-type]
        app.animation_level = "none"
        async with app.run_test(size=size, notifications=True) as pilot:
            driver = Driver(app, pilot)
            await pilot.pause()
            if settle:
                await driver.settle()
            yield driver

    return start
