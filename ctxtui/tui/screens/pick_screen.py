"""A list screen whose rows can be picked."""

from __future__ import annotations

from textual import on

from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.item_rows import Item
from ctxtui.tui.widgets.rows import Cell, Rows


class PickScreen(ListScreen[Item, str]):
    """A list of things that can be picked. A row's destination is the id to pick or go to."""

    def __init__(self, desk: Desk, typed: str = "") -> None:
        super().__init__(typed)
        self.desk = desk

    def mark_cell(self, id_: str) -> Cell:
        mark = shown.mark(self.desk.session, id_)
        return f"{mark} ", shown.MARK_STYLES[mark]

    def mark_columns(self, item: Item) -> range:
        del item
        return range(1, 4)

    @on(Rows.MarkClicked)
    def _mark_clicked(self) -> None:
        # Textual calls the decorated methods of every base class: a decorated `action_pick` cannot be overridden.
        self.action_pick()

    def action_pick(self) -> None:
        item = self.rows.current
        id_ = None if item is None else self.destination(item)
        if id_ is not None:
            self.desk.attempt(lambda session: session.toggle(id_))
            self.rows.refresh()

    def field_pick(self) -> None:
        """Tab in the filter: pick the row and move down."""
        self.action_pick()
        self.rows.action_down()
