"""Rows of arbitrary items: a function draws each as one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ctxtui.tui.widgets.rows import Cell, Rows

Item = TypeVar("Item")
Drawn = tuple[Sequence[Cell], Sequence[Cell]]
"""The cells of a row, at the left and at the right."""


class ItemRows(Rows, Generic[Item]):
    """Shows items. `marks` returns the columns of an item in which a click toggles its mark."""

    def __init__(
        self,
        draw: Callable[[Item], Drawn],
        marks: Callable[[Item], range] = lambda _item: range(0),
        *,
        id: str,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._draw, self._marks = draw, marks
        self.items: Sequence[Item] = ()

    def show(self, items: Sequence[Item], cursor: int | None = None, _typed: str = "") -> None:
        """Show other items, with the cursor on the given row or where it was. Lists that fold filter by `_typed`."""
        self.items = items
        self.set_count(len(items), cursor)

    def counted(self, items: Sequence[Item]) -> int:
        """The number of items without headings."""
        return len(items)

    @property
    def current(self) -> Item | None:
        return self.items[self.cursor] if self.items else None

    def mark_columns(self, index: int) -> range:
        return self._marks(self.items[index])

    def row(self, index: int) -> Drawn:
        return self._draw(self.items[index])
