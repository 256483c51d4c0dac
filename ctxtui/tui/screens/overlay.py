"""A screen over the main screen: left with escape, with help, palette and a footer of its own."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.screen import ModalScreen

from ctxtui.tui.screens.help import Help

Result = TypeVar("Result")


class Overlay(ModalScreen[Result | None]):
    """Ends with a result, or with nothing if it is left."""

    NAME: ClassVar[str]

    def action_escape(self) -> None:
        """Leave the screen."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Leave the screen."""
        self.dismiss(None)

    def action_help(self) -> None:
        """All keys."""
        self.app.push_screen(Help(self.NAME))

    def action_palette(self) -> None:
        """Find a command by its name."""
        self.app.action_command_palette()
