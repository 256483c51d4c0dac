"""The filter's input line: typing filters, and some keys act on the list below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from ctxtui.tui.bindings import bindings


class FilterInput(Input):
    """An input that can move and pick in the list below it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("field")

    @dataclass
    class Command(Message):
        """A key that acts on the list: `pick`, `down`, `up`, `clear` or `keep`."""

        name: str

    def action_field_pick(self) -> None:
        """Pick the row and move down."""
        self.post_message(self.Command("pick"))

    def action_field_up(self) -> None:
        """One row up."""
        self.post_message(self.Command("up"))

    def action_field_down(self) -> None:
        """One row down."""
        self.post_message(self.Command("down"))

    def action_field_keep(self) -> None:
        """Keep the filter, and go to the list."""
        self.post_message(self.Command("keep"))

    def action_field_clear(self) -> None:
        """Clear the filter."""
        self.post_message(self.Command("clear"))
