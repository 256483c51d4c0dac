"""A line of tab names, one of them open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.names import fit_end
from ctxtui.tui.palette import foreground
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
        left = set_cell_size(self._cut(left, room), room)
        return Text(left + set_cell_size(fit_end(right, width - room), width - room), no_wrap=True)


class TabLine(Widget):
    """The open tab is in brackets. A click opens another."""

    open: reactive[str] = reactive("")
    views: reactive[tuple[str, ...]] = reactive(())
    """The views of the open tab, behind the tabs if there are several, and the one that is open."""
    view: reactive[str] = reactive("")
    next_key = ""
    """The key that opens the next view."""

    @dataclass
    class Chosen(Message):
        name: str

    def __init__(self, names: Sequence[str], *, numbered: bool = False, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._labels = {
            name: f"{number} {name.title()}" if numbered else name.title() for number, name in enumerate(names, 1)
        }
        self.set_reactive(TabLine.open, names[0])
        # The columns of each tab and view as drawn last.
        self._places: list[tuple[range, str]] = []

    def render(self) -> Text:
        """The tabs in a row. A narrow screen shows the tabs around the open one, with signs for more."""
        shown, names = self._shown(), list(self._labels)
        self._places = []
        text = Text("‹" if shown[0] != names[0] else " ")
        for name in shown:
            self._add(text, name, self._labels[name], name == self.open)
            text.append("›" if name == shown[-1] != names[-1] else " ")
        if len(self.views) > 1:
            text.append(f"  {self.next_key} ", foreground(self, "dim"))
            for view in self.views:
                self._add(text, view, view, view == self.view)
        return text

    def _add(self, text: Text, name: str, label: str, is_open: bool) -> None:
        """Append a tab or view, and record its columns for clicks."""
        start, style = text.cell_len, foreground(self, "key" if is_open else "dim")
        text.append(f"[{label}]" if is_open else f" {label} ", style)
        self._places.append((range(start, text.cell_len), name))

    def on_click(self, event: events.Click) -> None:
        for columns, name in self._places:
            if event.x in columns:
                self.post_message(self.Chosen(name))

    def _shown(self) -> list[str]:
        """The names of the tabs that fit: as many up to the open one as possible, then those behind it."""
        names = list(self._labels)
        place = names.index(self.open)
        first, last = 0, len(names)
        while first < place and self._width(names[first : place + 1]) > self.size.width:
            first += 1
        while last > place + 1 and self._width(names[first:last]) > self.size.width:
            last -= 1
        return names[first:last]

    def _width(self, names: Sequence[str]) -> int:
        return sum(len(self._labels[name]) + 3 for name in names) + 1
