"""The first line of a screen: what it shows at the left, how much of it at the right."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.shown import line


class TitleLine(Widget):
    """Two texts on one line; if there is no room for both, the left one is cut."""

    left: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def render(self) -> Text:
        """The line, as wide as the screen."""
        left, right = f" {line(self.left)}", f"  {line(self.right)} "
        room = max(0, self.size.width - cell_len(right))
        if cell_len(left) > room > 1:
            left = set_cell_size(left, room - 1) + "…"
        return Text(set_cell_size(left, room) + right, no_wrap=True)
