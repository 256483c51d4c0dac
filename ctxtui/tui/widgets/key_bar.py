"""The key bar: the most useful commands for the widget in focus."""

from __future__ import annotations

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.tui.commands import Command, bound, first_key, footer, tail
from ctxtui.tui.keymap import keymap_of
from ctxtui.tui.widgets.styles import foreground

_BY_WIDTH = ((120, 11), (100, 9), (0, 7))
_PIPE = {"export": "send and quit", "quit": "cancel"}


class KeyBar(Widget):
    """One line of keys; the last two are always help and the way out."""

    COMPONENT_CLASSES = {"key-bar--key", "key-bar--dim"}  # noqa: RUF012

    panel: reactive[str] = reactive("context")
    is_piped: reactive[bool] = reactive(False)
    remarks: reactive[dict[str, str]] = reactive(dict)
    """The remark after the label of a command, by its id."""

    def __init__(self, screen: str, *, is_typing: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._screen_name = screen
        self._is_typing = is_typing

    def _item(self, command: Command, gap: str) -> Text:
        key = first_key(command, keymap_of(self), self._is_typing)
        return self._key(key, f"{command.label}{self.remarks.get(command.id, '')}{gap}")

    def _key(self, key: str, words: str) -> Text:
        return (
            Text().append(key, foreground(self, "key-bar--key")).append(f" {words}", foreground(self, "key-bar--dim"))
        )

    def render(self) -> Text:
        """Draw the keys that fit."""
        width = self.size.width
        count = next(count for least, count in _BY_WIDTH if self.screen.size.width >= least)
        commands, last = footer(self._screen_name, self.panel, count), tail(self._screen_name)
        text = Text(" ")
        if self.is_piped:
            text.append("PIPE  ", "bold").append_text(self._pipe())
            commands = [each for each in commands if each.id != "export"]
            count, last = count - 2, last[:1]
        ending = Text.assemble(*(self._item(each, "  " if each.id == "help" else " ") for each in last))
        for command in commands[: count - 2]:
            item = self._item(command, "  ")
            if text.cell_len + item.cell_len + ending.cell_len > width:
                break
            text.append_text(item)
        return Text.assemble(text, " " * max(0, width - text.cell_len - ending.cell_len), ending)

    def _pipe(self) -> Text:
        """How to send the payload, and how to quit without sending."""
        keymap = keymap_of(self)
        ways = (each for each in bound("main") if each.id in _PIPE)
        return Text.assemble(*(self._key(first_key(each, keymap), f"{_PIPE[each.id]}   ") for each in ways))
