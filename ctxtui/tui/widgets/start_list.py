"""The list of Start: sections whose rows act on enter, with remarks folded below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.message import Message

from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.keys.keymap import key_for
from ctxtui.tui.names import Name, Plain
from ctxtui.tui.widgets.item_rows import Drawn, ItemRows
from ctxtui.tui.widgets.rows import Cell, Rows

if TYPE_CHECKING:
    from ctxtui.agents import Start

# The least width of the list at which bars and numbers of files show.
_BAR_FROM, _COUNT_FROM = 44, 56
_INDENT = 6


@dataclass(frozen=True, slots=True)
class StartRow:
    """A row of Start: a heading, or an item.

    `enter` picks `ids` or a `start`, opens a `recipe`, or runs a `command`.

    `key` identifies the row when others come before it. `mark` with its style comes before the name, `flag` behind
    it. `bar` shows its part of the largest row in its section. `remarks` are texts with styles, folded below the row.
    An open remark is a row `of` its owner.
    """

    name: str
    style: str = ""
    key: str = ""
    mark: Cell = ("", "")
    flag: str = ""
    bar: Plain = ("", "")
    count: str = ""
    price: str = ""
    tokens: str = ""
    about: str = ""
    ids: tuple[str, ...] = ()
    start: Start | None = None
    recipe: str = ""
    command: str = ""
    remarks: tuple[Plain, ...] = ()
    of: str = ""

    @property
    def is_item(self) -> bool:
        return bool(self.ids or self.start or self.recipe or self.command)


class StartList(ItemRows[StartRow]):
    """The sections of Start. `right` opens the remarks of a row, `left` closes them."""

    class Grown(Message):
        """The list has another number of rows."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(self._drawn, lambda _row: range(0), self.fold, id=id)
        self._all: Sequence[StartRow] = ()
        self._opened: frozenset[str] = frozenset()
        self._width = 0
        # The first agent or file, where the cursor stays until somebody comes here.
        self._first = 0

    @property
    def about(self) -> str:
        """The effect of enter on the row under the cursor. Without focus, the key that focuses the list."""
        if not self.has_focus:
            return f"{key_for(self, 'panel_3')} goes to these rows"
        row = self.current
        if row is None or not row.remarks:
            return row.about if row is not None else ""
        is_open = row.key in self._opened
        word = f"{key_for(self, 'left')} hides" if is_open else f"{key_for(self, 'right')} shows"
        return f"{row.about} · {word} {plural(len(row.remarks), 'line')}"

    def show(self, items: Sequence[StartRow], _cursor: int | None = None) -> None:
        """Show other rows. The cursor stays on its row, at first on the first agent or file."""
        self._all = items
        self._lay_out()

    def on_resize(self) -> None:
        if self._all and self._width != self._room:
            self._lay_out()

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    def _lay_out(self) -> None:
        self._width = self._room
        # Somebody who is here acts on the row that is under the cursor now.
        is_moved = self.has_focus or self.cursor != self._first
        key = self.current.key if self.current is not None and is_moved else ""
        offset = self.cursor - self.scroll_offset.y
        rows = [each for row in self._all for each in (*self._wrapped(row), *self._remarks(row))]
        if len(rows) != len(self.items):
            self.post_message(self.Grown())
        places = {row.key: place for place, row in enumerate(rows) if row.key}
        self._first = next((place for place, row in enumerate(rows) if row.is_item and not row.command), 0)
        super().show(rows, places.get(key, self.cursor if key else self._first))
        if key and self.scroll_offset.y:
            # A row that comes before the first one must not stay hidden above it.
            self.jump(max(0, self.cursor - offset))

    def _wrapped(self, row: StartRow) -> list[StartRow]:
        """The row, or if it has neither numbers nor ids, one row for each line of its wrapped name."""
        if row.price or row.tokens or row.ids or not row.name:
            return [row]
        hanging = "  " if row.is_item else "    "
        lines = shown.wrapped(shown.line(row.name), max(12, self._width - 4), hanging)
        indent = row.name[: len(row.name) - len(row.name.lstrip())]
        return [replace(row, name=line if place else f"{indent}{line.lstrip()}") for place, line in enumerate(lines)]

    def _remarks(self, row: StartRow) -> list[StartRow]:
        if row.key not in self._opened:
            return []
        room = max(12, self._width - _INDENT - 1)
        lines = [(line, style) for text, style in row.remarks for line in shown.wrapped(shown.line(text), room)]
        return [
            StartRow(line, style, f"{row.key}/{place}", about=row.about, start=row.start, of=row.key)
            for place, (line, style) in enumerate(lines)
        ]

    def fold(self, is_open: bool | None) -> bool:
        """Open, close or (None) toggle the remarks of the row or remark at the cursor. Returns whether it did."""
        row = self.current
        key = (row.of or row.key) if row is not None and (row.of or row.remarks) else ""
        if not key or is_open is (key in self._opened):
            return False
        self.move(next(place for place, each in enumerate(self.items) if each.key == key))
        self._opened ^= {key}
        self._lay_out()
        self.post_message(self.Moved(self))
        return True

    # Enter picks, on a row with remarks too.
    action_enter = Rows.action_enter

    def fold_columns(self, index: int) -> range:
        return range(1, 3) if self.items[index].remarks else range(0)

    def _drawn(self, row: StartRow) -> Drawn:
        if row.of:
            return [(" " * _INDENT, ""), (row.name, row.style)], ()
        sign = "  " if not row.remarks else "▾ " if row.key in self._opened else "▸ "
        left: list[Cell] = [(sign, "dim")] if row.is_item else []
        name = shown.line(row.name)
        # Headings and sentences keep their beginning, paths and names their end.
        left += [row.mark, Name(name, row.style) if row.is_item else (name, row.style), (row.flag, "warn")]
        return left, self._right(row)

    def _right(self, row: StartRow) -> list[Cell]:
        width, right = self._room, list[Cell]()
        if row.bar[0] and width >= _BAR_FROM:
            right.append(row.bar)
        if row.count and width >= _COUNT_FROM:
            right.append((f" {row.count:>11}", "dim"))
        if row.price:
            right.append((f" {row.price:>8}" if row.tokens else f" {row.price} ", "dim"))
        if row.tokens:
            right.append((f" {row.tokens:>9} ", ""))
        return right
