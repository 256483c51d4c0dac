"""The filter's input line: typing filters, tab picks, enter keeps the matches, escape lets them go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class FilterInput(Input):
    """An input that can move and pick in the list below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "command('pick')", "pick", show=False),
        Binding("down", "command('down')", "down", show=False),
        Binding("up", "command('up')", "up", show=False),
        Binding("escape", "command('clear')", "clear", show=False),
        Binding("enter", "command('keep')", "keep", show=False),
    ]

    @dataclass
    class Command(Message):
        """A key that means the list: `pick`, `down`, `up`, `clear` or `keep`."""

        name: str

    def action_command(self, name: str) -> None:
        """Pass a key on."""
        self.post_message(self.Command(name))
