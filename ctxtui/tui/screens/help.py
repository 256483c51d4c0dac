"""Help: all keys by group."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Static

from ctxtui.tui.commands import by_group, key_names
from ctxtui.tui.widgets.page import Page


class Help(ModalScreen[None]):
    """The key table, as it is in force."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss", "close", show=False)]

    def __init__(self, keymap: dict[str, str]) -> None:
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        """One page."""
        with Vertical(classes="dialog -full"):
            yield Static(Content("Keys   (escape closes)"), classes="dialog-title")
            yield Page(id="help-page")

    def on_mount(self) -> None:
        """Lay the table out."""
        lines: list[Strip] = []
        for title, commands in by_group():
            lines.append(Strip([Segment(title, Style(bold=True))]))
            for command in commands:
                keys = key_names(self._keymap.get(command.id, command.keys))
                lines.append(Strip([Segment(f"  {keys:<14}"), Segment(command.help, Style(dim=True))]))
            lines.append(Strip([]))
        marks = "● all  ◐ part  ○ none    ~ not counted yet  ≈ an estimate, with its band    * pinned"
        lines += [Strip([Segment("Signs", Style(bold=True))]), Strip([Segment(f"  {marks}", Style(dim=True))])]
        page = self.query_one(Page)
        page.show(lines, "help")
        page.focus()
