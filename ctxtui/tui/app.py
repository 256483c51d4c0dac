"""The app: one main screen on a project."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from functools import partial
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.tui.actions.dialogs import format_title, formats
from ctxtui.tui.base_app import BaseApp, FoundCommand
from ctxtui.tui.launch import Launch, Outcome
from ctxtui.tui.screens.main import MainScreen
from ctxtui.workspace.workspace import Workspace

_WITHOUT_KEY: Final = {
    "clear": "drop everything that is picked, and the prompt",
    "project tree": "add a block with the tree of the picked files, then of all files, then none",
}


class CtxtuiApp(BaseApp[Outcome | ContextError]):
    """The app. Ends with an outcome, or with the error that prevented opening the project."""

    def __init__(self, opening: Future[Workspace], launch: Launch) -> None:
        super().__init__(launch.theme, launch.keys)
        self._opening = opening
        self._launch = launch

    def push_first_screen(self) -> None:
        self.push_screen(MainScreen(self._opening, self._launch))

    def commands(self) -> Iterable[FoundCommand]:
        """The commands of the base, on the main screen also the formats and the commands without a key."""
        yield from super().commands()
        if not isinstance(self.screen, MainScreen):
            return
        for name, about in _WITHOUT_KEY.items():
            action = f"do('{name.replace(' ', '_')}')"
            yield FoundCommand(name, about, partial(self.run_action, action, self.screen))
        for which in formats(self.screen.session) if self.screen.session is not None else ():
            run = partial(self.screen.use_format, which)
            yield FoundCommand(f"format {format_title(which)}", "write the payload in this format", run)
