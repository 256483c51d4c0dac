"""Rows of items: a sequence of any values, each drawn as one row by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.message import Message

from ctxtui.tui.widgets.rows import Cell, Rows

Item = TypeVar("Item")
Drawn = tuple[Sequence[Cell], Sequence[Cell]]
"""The cells of a row, at the left and at the right."""


class ItemRows(Rows, Generic[Item]):
    """Shows the items it is given; `mark_columns` says in which columns of an item a click means its mark."""

    @dataclass
    class Folded(Message):
        """The row under the cursor is to be opened or closed."""

        is_open: bool

    def __init__(self, draw: Callable[[Item], Drawn], marks: Callable[[Item], range], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._draw, self._marks = draw, marks
        self.items: Sequence[Item] = ()

    def show(self, items: Sequence[Item], cursor: int | None = None) -> None:
        """Show other items, with the cursor on the given row or where it was."""
        self.items = items
        self.set_count(len(items), cursor)

    @property
    def current(self) -> Item | None:
        """The item under the cursor."""
        return self.items[self.cursor] if self.items else None

    def mark_columns(self, index: int) -> range:
        """Where the mark of an item is."""
        return self._marks(self.items[index])

    def row(self, index: int) -> Drawn:
        """The cells of an item."""
        return self._draw(self.items[index])

    def action_left(self) -> None:
        """Close the row."""
        self.post_message(self.Folded(False))

    def action_right(self) -> None:
        """Open the row."""
        self.post_message(self.Folded(True))
