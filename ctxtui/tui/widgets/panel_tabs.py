"""The panel tabs of a narrow screen: which of the three panels is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.widgets.styles import foreground

PANELS: Final = ("context", "payload", "view")


class PanelTabs(Widget):
    """One line with the names of the panels."""

    COMPONENT_CLASSES = {"panel-tabs--open", "panel-tabs--dim"}  # noqa: RUF012

    panel: reactive[str] = reactive("context")

    @dataclass
    class Chosen(Message):
        """A panel was clicked."""

        panel: str

    def render(self) -> Text:
        """The names; the shown one stands out."""
        text = Text(" ")
        for number, panel in enumerate(PANELS, 1):
            kind = "open" if panel == self.panel else "dim"
            style = foreground(self, f"panel-tabs--{kind}")
            label = f"[{number} {panel.title()}]" if panel == self.panel else f" {number} {panel.title()} "
            text.append(label, style).append("  ")
        return text

    def on_click(self, event: events.Click) -> None:
        """Choose the panel under the mouse."""
        column = 1
        for panel in PANELS:
            if column <= event.x < column + len(panel) + 4:
                self.post_message(self.Chosen(panel))
            column += len(panel) + 6
