"""The first line of a screen: what it shows at the left, how much at the right."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.shown import line


class TitleLine(Widget):
    """Two texts on one line; if there is no room for both, the left one is cut down to a third, then the right."""

    left: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def render(self) -> Text:
        """The line, as wide as the screen."""
        left, right = f" {line(self.left)}", f"  {line(self.right)} "
        width = self.size.width
        room = max(width // 3, width - cell_len(right))
        return Text(_cut(left, room) + _cut(right, width - room), no_wrap=True)


def _cut(text: str, width: int) -> str:
    """The text cut to `width` columns, with `…` if it does not fit."""
    return set_cell_size(text, width - 1) + "…" if cell_len(text) > width > 0 else set_cell_size(text, width)
