"""The filter's input line: typing filters, and some keys act on the list below."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

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

        field: FilterInput
        name: str

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_acting = False
        """Whether a key was sent to the list and not acted on yet: it waits for what the filter finds."""

    @contextmanager
    def acted(self) -> Iterator[None]:
        """Around acting on a command."""
        try:
            yield
        finally:
            self.is_acting = False

    def _send(self, name: str) -> None:
        self.is_acting = True
        self.post_message(self.Command(self, name))

    def action_field_pick(self) -> None:
        """Pick the row and move down."""
        self._send("pick")

    def action_field_up(self) -> None:
        """One row up."""
        self._send("up")

    def action_field_down(self) -> None:
        """One row down."""
        self._send("down")

    def action_field_keep(self) -> None:
        """Keep the filter, and go to the list."""
        self._send("keep")

    def action_field_clear(self) -> None:
        """Clear the filter."""
        self._send("clear")
