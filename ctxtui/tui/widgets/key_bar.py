"""The key bar: the few commands worth knowing where the focus is."""

from __future__ import annotations

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.commands import first_key, footer
from ctxtui.tui.widgets.styles import foreground

_BY_WIDTH = ((120, 11), (100, 9), (0, 7))


class KeyBar(Widget):
    """One line of keys; the last two are always help and quit."""

    COMPONENT_CLASSES = {"key-bar--key", "key-bar--dim"}  # noqa: RUF012

    panel: reactive[str] = reactive("context")
    is_piped: reactive[bool] = reactive(False)

    def __init__(self, keymap: dict[str, str], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._keymap = keymap

    def render(self) -> Text:
        """The keys that fit."""
        width = self.size.width
        count = next(count for least, count in _BY_WIDTH if width >= least)
        key_style = foreground(self, "key-bar--key")
        dim = foreground(self, "key-bar--dim")
        text = Text(" ")
        if self.is_piped:
            text.append("PIPE  ", "bold")
            for key, label in (("e", "send and quit"), ("q", "cancel")):
                text.append(key, key_style).append(f" {label}   ", dim)
            count -= 2
        tail = Text().append("?", key_style).append(" all  ", dim)
        if not self.is_piped:
            tail.append("q", key_style).append(" quit ", dim)
        for command in footer(self.panel, count - 2):
            if self.is_piped and command.id == "export":
                continue
            item = Text().append(first_key(command, self._keymap), key_style).append(f" {command.label}  ", dim)
            if text.cell_len + item.cell_len + tail.cell_len > width:
                break
            text.append_text(item)
        return Text.assemble(text, " " * max(0, width - text.cell_len - tail.cell_len), tail)
