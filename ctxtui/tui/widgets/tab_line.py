"""A line of tab names, one of them open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.widgets.styles import foreground


class TabLine(Widget):
    """The open tab is in brackets; a click opens another."""

    COMPONENT_CLASSES = {"tab-line--open", "tab-line--dim"}  # noqa: RUF012

    open: reactive[str] = reactive("")

    @dataclass
    class Chosen(Message):
        """The user clicked a tab."""

        line: TabLine
        name: str

        @property
        def control(self) -> TabLine:
            """The tab line that posted the message."""
            return self.line

    def __init__(self, names: Sequence[str], *, numbered: bool = False, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._labels = {
            name: f"{number} {name.title()}" if numbered else name.title() for number, name in enumerate(names, 1)
        }
        self.set_reactive(TabLine.open, names[0])

    def render(self) -> Text:
        """The tabs in a row."""
        text = Text(" ")
        for name, label in self._labels.items():
            is_open = name == self.open
            style = foreground(self, f"tab-line--{'open' if is_open else 'dim'}")
            text.append(f"[{label}]" if is_open else f" {label} ", style).append(" ")
        return text

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        column = 1
        for name, label in self._labels.items():
            if column <= event.x < column + len(label) + 2:
                self.post_message(self.Chosen(self, name))
            column += len(label) + 3
