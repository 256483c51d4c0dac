"""The first line of a screen or panel: a name at the left, an amount at the right."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.names import fit_end
from ctxtui.tui.shown import line


class TitleLine(Widget):
    """Two texts on one line. If both do not fit, the left text is cut down to a third, then the right text.

    `cut` shortens the left text, for example `fit`, which keeps the name of a file at the end.
    """

    left: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def __init__(self, cut: Callable[[str, int], str] = fit_end, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._cut = cut

    def render(self) -> Text:
        left, right = f" {line(self.left)}", f"  {line(self.right)} "
        width = self.size.width
        room = max(width // 3, width - cell_len(right))
        return Text(
            _filled(self._cut(left, room), room) + _filled(fit_end(right, width - room), width - room), no_wrap=True
        )


def _filled(text: str, width: int) -> str:
    return set_cell_size(text, max(0, width))
