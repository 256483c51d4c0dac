"""The dialog for the prompt block. A module of its own, because Textual's editor is slow to import."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static, TextArea

from ctxtui.core.base.plain import plain
from ctxtui.core.payload.types import Position, Prompt
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.screens.dialogs import Dialog


class Editor(TextArea):
    """Textual's editor of several lines. `takes_lines` identifies it without importing the large module."""

    takes_lines: ClassVar[bool] = True


class WritePrompt(Dialog[tuple[Prompt, bool]]):
    """The text and position of the prompt block. Empty text removes it. Unsaved text is kept for the next time.

    Returns the block as typed, and whether the user saved it.
    """

    BINDINGS = bindings("prompt")
    NAME = "prompt"
    _POSITIONS: ClassVar[tuple[Position, ...]] = ("last", "first", "both")

    def __init__(self, prompt: Prompt | None, is_draft: bool = False) -> None:
        super().__init__()
        self._prompt = prompt
        self._title = "Prompt block, not saved yet" if is_draft else "Prompt block"
        # The editor shows harmless text. Unchanged text is kept as it was.
        self._shown = plain(prompt.text) if prompt else ""
        self._position: Position = prompt.position if prompt else "last"

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Editor(self._shown, id="prompt-text")
            yield Static(id="dialog-hint")

    def on_mount(self) -> None:
        self._show_hint()

    def _show_hint(self) -> None:
        words = {"last": "after the documents", "first": "before the documents", "both": "before and after"}
        place = f"{words[self._position]} ({key_for(self, 'position', True)} changes this)"
        keys = f"{key_for(self, 'store', True)} saves, empty removes it   {key_for(self, 'escape')} leaves"
        self.query_one("#dialog-hint", Static).update(Content(f"{place}   {keys}"))

    def action_position(self) -> None:
        index = self._POSITIONS.index(self._position)
        self._position = self._POSITIONS[(index + 1) % len(self._POSITIONS)]
        self._show_hint()

    def action_store(self) -> None:
        self.dismiss((self._typed, True))

    def action_escape(self) -> None:
        self.dismiss((self._typed, False))

    @property
    def _typed(self) -> Prompt:
        text = self.query_one(Editor).text
        if self._prompt is not None and text == self._shown:
            text = self._prompt.text
        return Prompt(text, self._position)
