"""The key bar: the most useful commands for the widget in focus."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.session.figures import Figures
from ctxtui.session.session import Session
from ctxtui.tui.keys.commands import LABELS, STATES, Command, bound, footer, footer_keys, pressed_key, tail
from ctxtui.tui.keys.key_names import is_typed
from ctxtui.tui.keys.keymap import keymap_of
from ctxtui.tui.palette import foreground

_BY_WIDTH = ((150, 12), (120, 11), (100, 9), (0, 7))
_PIPE = {"export": "send and quit", "quit": "cancel"}


class KeyBar(Widget):
    """One line of keys. The last two are always help and the way out."""

    panel: reactive[str] = reactive("context")
    is_piped: reactive[bool] = reactive(False)
    states: reactive[frozenset[str]] = reactive(STATES)
    field: reactive[str] = reactive("")
    """The name of the text field in focus, or "" outside fields. Its keys take the place of the panel's."""
    remarks: reactive[dict[str, str]] = reactive(dict)
    """A remark behind a command's label, by command id."""

    def __init__(self, screen: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._screen_name = screen
        # The columns of each key as drawn last, and the key to press.
        self._places: list[tuple[range, str]] = []

    def _item(self, command: Command, words: str = "") -> Text:
        """The key of a command and its label with a remark, or other words."""
        key = footer_keys(command, keymap_of(self), bool(self.field))
        label = LABELS.get((command.id, self.field or self.panel), command.label)
        words = words or f"{label}{self.remarks.get(command.id, '')}"
        gap = " " if command.id in ("quit", "escape") else "  "
        return Text.assemble((key, foreground(self, "key")), (f" {words}{gap}", foreground(self, "dim")))

    def render(self) -> Text:
        width = self.size.width
        count = next(count for least, count in _BY_WIDTH if self.screen.size.width >= least)
        panel, last = self.field or self.panel, tail(self._screen_name)
        commands = footer(self._screen_name, panel, count, self.states)
        if self.field:
            own = [each for each in commands if each.group == "field"]
            commands, last = self._acting(commands, own), self._acting(last, own)
        else:
            commands = [each for each in commands if each.group != "field"]
        text = Text(" ")
        self._places = []
        if self.is_piped:
            text.append("PIPE  ", "bold")
            for command in bound("main"):
                if command.id in _PIPE:
                    self._add(text, command, f"{_PIPE[command.id]} ")
            commands = [each for each in commands if each.id != "export"]
            count, last = count - 2, last[:1]
        ending = sum(self._item(each).cell_len for each in last)
        for command in commands[: count - 2]:
            if text.cell_len + self._item(command).cell_len + ending > width:
                break
            self._add(text, command)
        text.append(" " * max(0, width - text.cell_len - ending))
        for command in last:
            self._add(text, command)
        return text

    def _acting(self, commands: Sequence[Command], own: Sequence[Command]) -> list[Command]:
        """The commands whose keys work in a field: no characters, and no keys that its `own` commands have taken."""
        keymap = keymap_of(self)
        taken = {pressed_key(each, keymap, True) for each in own}
        keys = [(each, pressed_key(each, keymap, True)) for each in commands]
        return [each for each, key in keys if not is_typed(key) and (each in own or key not in taken)]

    def _add(self, text: Text, command: Command, words: str = "") -> None:
        """Append a command to a text, and record its columns for clicks."""
        start = text.cell_len
        text.append_text(self._item(command, words))
        key = pressed_key(command, keymap_of(self), bool(self.field))
        self._places.append((range(start, text.cell_len - 1), key))

    def on_click(self, event: events.Click) -> None:
        for columns, key in self._places:
            if event.x in columns:
                self.app.simulate_key(key)


def states(session: Session | None, figures: Figures) -> frozenset[str]:
    """The states on which commands depend: `empty`, or `picked`, with `over` if they exceed the limit or were cut."""
    if session is None or session.selection.is_empty:
        return frozenset({"empty"})
    layout, limit = figures.layout, session.budget.effective
    # Estimates are cut by the upper end of their band, so the picks alone do not tell.
    is_cut = layout is not None and layout.wanted != layout.tokens
    is_over = is_cut or (layout is not None and limit is not None and layout.upper > limit)
    return frozenset({"picked", "over"} if is_over else {"picked"})
