"""The list of Start: sections whose rows act on enter, with remarks folded below them."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.base.wording import plural
from ctxtui.tui.keys.keymap import key_for
from ctxtui.tui.widgets.fold_rows import FoldRows, Row
from ctxtui.tui.widgets.rows import Rows


class StartList(FoldRows):
    """The sections of Start. The cursor rests on the first agent or file until somebody comes here."""

    _first = 0

    @property
    def about(self) -> str:
        """The effect of enter on the row under the cursor. Without focus, the key that focuses the list."""
        if not self.has_focus:
            return f"{key_for(self, 'panel_3')} goes to these rows"
        row = self.current
        if row is None or not row.group:
            return row.detail if row is not None else ""
        word = f"{key_for(self, 'left')} hides" if self.is_open(row) else f"{key_for(self, 'right')} shows"
        return f"{row.detail} · {word} {plural(sum(row.group in each.within for each in self.all), 'line')}"

    @property
    def _is_left_alone(self) -> bool:
        return not self.has_focus and self.cursor == self._first

    def show(self, items: Sequence[Row], cursor: int | None = None, typed: str = "") -> None:
        is_left_alone, is_at_top = self._is_left_alone, not self.scroll_offset.y
        super().show(items, cursor, typed)
        self._first = next((place for place, row in enumerate(self.items) if row.start or row.ids), 0)
        if is_left_alone:
            self.move(self._first)
            if is_at_top:
                self.on_resize()

    def on_resize(self) -> None:
        """Show the first row again, which a list of few lines had to leave out."""
        self._wrap()
        if self._is_left_alone:
            self.jump(0)
            self.show_cursor()

    # Enter picks, on a row with remarks too.
    action_enter = Rows.action_enter

    def fold_columns(self, index: int) -> range:
        return range(1, 3) if self.items[index].group else range(0)
