"""The input line of filters, with keys that act on the list below."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partialmethod
from typing import Any

from textual.events import Paste
from textual.message import Message
from textual.widgets import Input

from ctxtui.tui.keys.keymap import bindings
from ctxtui.tui.widgets.rows import Rows


class FilterInput(Input):
    BINDINGS = bindings("field")

    @dataclass
    class Command(Message):
        """A key that acts on the list: `pick`, `down`, `up`, `clear` or `keep`."""

        field: FilterInput
        name: str

        async def act(
            self,
            rows: Rows,
            found: Callable[[], Awaitable[object]],
            *,
            pick: Callable[[], object],
            keep: Callable[[], object],
            clear: Callable[[], object],
        ) -> None:
            """Run the key's function or move the cursor. All but `clear` wait for `found`, the newest rows."""
            self.stop()
            acts = {"up": rows.action_up, "down": rows.action_down, "pick": pick, "keep": keep, "clear": clear}
            try:
                if self.name != "clear":
                    await found()
                acts[self.name]()
            finally:
                self.field.is_acting = False

    def __init__(self, *args: Any, **options: Any) -> None:
        # Going back to a filter must not make the next character replace it.
        super().__init__(*args, select_on_focus=False, **options)
        self.is_acting = False
        """Whether a key was sent to the list and is not handled yet: it waits for the filter's matches."""

    def _on_paste(self, event: Paste) -> None:
        """Keep all lines of a pasted text, such as an issue, in the one line of the field."""
        # Textual's own handler, which is called after this, takes the first line alone.
        event.text = " ".join(event.text.split())

    def _send(self, name: str) -> None:
        self.is_acting = True
        self.post_message(self.Command(self, name))

    action_field_pick = partialmethod(_send, "pick")
    action_field_up = partialmethod(_send, "up")
    action_field_down = partialmethod(_send, "down")
    action_field_keep = partialmethod(_send, "keep")
    action_field_clear = partialmethod(_send, "clear")
