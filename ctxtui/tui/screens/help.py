"""Help: the keys of a screen, then those of the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Static

from ctxtui.tui.bindings import bindings
from ctxtui.tui.commands import Command, by_group, key_names, keys_of, on_screen
from ctxtui.tui.keymap import key_for, keymap_of
from ctxtui.tui.widgets.page import Page

_MARKS = "● all  ◐ part  ○ none    ~ not counted yet  ≈ an estimate, with its band    * pinned"


class Help(ModalScreen[None]):
    """The command table, with the keys in force."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("help")
    NAME: ClassVar[str] = "help"

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._of = screen

    def compose(self) -> ComposeResult:
        """One page."""
        with Vertical(classes="dialog -full"):
            yield Static(Content(f"Keys   ({key_for(self, 'escape')} closes)"), classes="dialog-title")
            yield Page(id="help-page")

    def on_mount(self) -> None:
        """Lay the table out."""
        page = self.query_one(Page)
        page.show(list(self._lines()), "help")
        page.focus()

    def _lines(self) -> Iterator[Strip]:
        for title, commands in by_group(self._of):
            yield from self._group(title, commands)
        yield from (_title("Signs"), Strip([Segment(f"  {_MARKS}", Style(dim=True))]), Strip([]))
        own = on_screen(self._of)
        for title, commands in by_group():
            others = [command for command in commands if command not in own]
            if others:
                yield from self._group(f"{title} (on other screens)", others)

    def _group(self, title: str, commands: list[Command]) -> Iterator[Strip]:
        keymap = keymap_of(self)
        yield _title(title)
        for command in commands:
            keys = key_names(keys_of(command, keymap))
            yield Strip([Segment(f"  {keys:<14}"), Segment(command.help, Style(dim=True))])
        yield Strip([])

    def action_escape(self) -> None:
        """Leave the help."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Leave the help."""
        self.dismiss(None)

    def action_help(self) -> None:
        """Back to where the help was asked for."""
        self.dismiss(None)


def _title(text: str) -> Strip:
    return Strip([Segment(text, Style(bold=True))])
