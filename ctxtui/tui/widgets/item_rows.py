"""Rows of arbitrary items: a function draws each as one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ctxtui.tui.widgets.rows import Cell, Rows

Item = TypeVar("Item")
Drawn = tuple[Sequence[Cell], Sequence[Cell]]
"""The cells of a row, at the left and at the right."""


class ItemRows(Rows, Generic[Item]):
    """Shows items with functions of the owner that draw, mark and fold them.

    `marks` returns the columns of an item in which a click toggles its mark. `fold` opens, closes or (for None)
    toggles the row under the cursor, and returns whether anything changed. It is a call and not a message, so that
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
        self.more: Callable[[Item], Sequence[Drawn]] | None = None
        """The other lines of an item, if items have several."""

    def show(self, items: Sequence[Item], cursor: int | None = None) -> None:
        """Show other items, with the cursor on the given row or where it was."""
        self.items = items
        self._fit(cursor)

    def _fit(self, cursor: int | None = None) -> None:
        heights = [1 + len(self.more(item)) for item in self.items] if self.more else []
        self.set_count(len(self.items), cursor, () if set(heights) <= {1} else heights)

    def on_resize(self) -> None:
        """Wrap the lines of items again."""
        if self.more is not None:
            self._fit()

    @property
    def current(self) -> Item | None:
        return self.items[self.cursor] if self.items else None

    def mark_columns(self, index: int) -> range:
        return self._marks(self.items[index])

    def fold_columns(self, _index: int) -> range:
        """The columns of the fold sign. Rows that do not fold ignore the click."""
        return range(1, 3)

    def toggle_fold(self, _index: int) -> None:
        """Fold or unfold the clicked row, which is under the cursor."""
        self._fold(None)

    def row(self, index: int) -> Drawn:
        return self._draw(self.items[index])

    def below(self, index: int) -> Sequence[Drawn]:
        return self.more(self.items[index]) if self.more else ()

    def action_left(self) -> None:
        self._fold(False)

    def action_right(self) -> None:
        self._fold(True)

    def action_enter(self) -> None:
        if not self._fold(None):
            super().action_enter()
