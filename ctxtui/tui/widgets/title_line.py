"""The first line of a screen or panel: a name at the left, an amount at the right."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.names import fit, fit_end
from ctxtui.tui.shown import line


class TitleLine(Widget):
    """Two texts on one line; if there is no room for both, the left one is cut down to a third, then the right.

    The left one keeps its last part, as the name of a file is there.
    """

    left: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def render(self) -> Text:
        """The line, as wide as the screen."""
        left, right = f" {line(self.left)}", f"  {line(self.right)} "
        width = self.size.width
        room = max(width // 3, width - cell_len(right))
        return Text(
            _filled(fit(left, room), room) + _filled(fit_end(right, width - room), width - room), no_wrap=True
        )


def _filled(text: str, width: int) -> str:
    return set_cell_size(text, max(0, width))
