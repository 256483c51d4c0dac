"""The app: one main screen on a project."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from textual.app import SystemCommand
from textual.screen import Screen

from ctxtui.core.base.errors import ContextError
from ctxtui.tui.base_app import BaseApp
from ctxtui.tui.launch import Launch, Outcome
from ctxtui.tui.screens.main import MainScreen
from ctxtui.workspace.workspace import Workspace


class CtxtuiApp(BaseApp[Outcome | ContextError]):
    """The app. Ends with an outcome, or with the error that prevented opening the project."""

    def __init__(self, opening: Future[Workspace], launch: Launch) -> None:
        super().__init__(launch.theme, launch.keys)
        self._opening = opening
        self._launch = launch

    def first_screen(self) -> None:
        self.push_screen(MainScreen(self._opening, self._launch))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        if isinstance(screen, MainScreen):
            told = "add a block with the tree of the picked files, then of all files, then none"
            yield SystemCommand("project tree", told, screen.action_project_tree)
