"""Rows of items: a sequence of any values; a function draws each as one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ctxtui.tui.widgets.rows import Cell, Rows

Item = TypeVar("Item")
Drawn = tuple[Sequence[Cell], Sequence[Cell]]
"""The cells of a row, at the left and at the right."""


class ItemRows(Rows, Generic[Item]):
    """Shows items; functions supplied by the owner draw, mark and fold them.

    `marks` gives the columns of an item in which a click toggles its mark. `fold` opens the row under the cursor,
    closes it, or toggles it for None, and returns whether it can be folded; it is a call and not a message, so that
    the next key acts on the new rows.
    """

    def __init__(
        self,
        draw: Callable[[Item], Drawn],
        marks: Callable[[Item], range],
        fold: Callable[[bool | None], bool],
        *,
        id: str,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._draw, self._marks, self._fold = draw, marks, fold
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
        """The columns of the mark of an item."""
        return self._marks(self.items[index])

    def fold_columns(self, index: int) -> range:
        """The columns where rows that fold have their sign; what does not fold ignores the click."""
        del index
        return range(1, 3)

    def toggle_fold(self, index: int) -> None:
        """Open or close the row under the cursor, which is the one that was clicked."""
        del index
        self._fold(None)

    def row(self, index: int) -> Drawn:
        """The cells of an item."""
        return self._draw(self.items[index])

    def action_left(self) -> None:
        """Close the row."""
        self._fold(False)

    def action_right(self) -> None:
        """Open the row."""
        self._fold(True)

    def action_enter(self) -> None:
        """Open or close the row, or choose it."""
        if not self._fold(None):
            super().action_enter()
