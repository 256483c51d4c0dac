"""Small dialogs: one question each; enter answers, escape leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from ctxtui.core.errors import ContextError
from ctxtui.core.payload.types import Position, Prompt
from ctxtui.core.plain import plain
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.keymap import key_for
from ctxtui.tui.view_pages import plain_lines
from ctxtui.tui.widgets.page import Page

Check = Callable[[str], str | None]
"""Returns what is wrong with an answer, or None if nothing is."""


class Ask(ModalScreen[str | None]):
    """One line of text; the answer is checked before the dialog accepts it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("ask")
    NAME: ClassVar[str] = "ask"

    def __init__(self, title: str, hint: str, value: str = "", check: Check | None = None) -> None:
        super().__init__()
        self._title, self._hint, self._value = title, hint, value
        self._check = check

    def compose(self) -> ComposeResult:
        """Title, input, and a line for the hint or error."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Input(self._value, id="answer")
            yield Static(Content(self._hint), id="dialog-hint")

    def action_escape(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        try:
            wrong = self._check(event.value) if self._check else None
        except ContextError as error:
            wrong = f"{error.message}{f'; {error.hint}' if error.hint else ''}"
        if wrong is None:
            self.dismiss(event.value)
        else:
            hint = self.query_one("#dialog-hint", Static)
            hint.update(shown.content(wrong))
            hint.add_class("-wrong")


class Choose(ModalScreen[str | None]):
    """A choice of many, found by typing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("choose")
    NAME: ClassVar[str] = "choose"

    def __init__(
        self, title: str, find: Callable[[], Sequence[tuple[str, str]]], empty: str = "nothing matches"
    ) -> None:
        super().__init__()
        self._title, self._find, self._empty = title, find, empty
        self._choices: Sequence[tuple[str, str]] | None = None
        self._shown: list[str] = []
        self._is_submitted = False

    def compose(self) -> ComposeResult:
        """Title, input and list."""
        with Vertical(classes="dialog -tall"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Input(placeholder="type to find", id="answer")
            yield OptionList(id="choices", markup=False)
            yield Static(Content(f"enter chooses, {key_for(self, 'escape')} leaves"), id="dialog-hint")

    def on_mount(self) -> None:
        """Show the dialog at once, so that it receives the keys typed next; then load the choices."""
        self._load()

    @work(exclusive=True, group="choices")
    async def _load(self) -> None:
        self._choices = await asyncio.to_thread(self._find)
        if not self.query(Input) or not self.query(OptionList):
            # The user left the dialog before its choices were loaded.
            return
        self._fill(self.query_one(Input).value)
        if self._is_submitted:
            self._submitted()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._fill(event.value)

    def _fill(self, typed: str) -> None:
        words = typed.casefold().split()
        choices = self._choices or ()
        matching = [each for each in choices if all(word in " ".join(each).casefold() for word in words)]
        # An exact match comes first, then those that start with the text.
        whole = typed.strip().casefold()
        matching.sort(key=lambda each: (each[0].casefold() != whole, not each[0].casefold().startswith(whole)))
        self._shown = [value for value, _ in matching]
        width = max((len(value) for value, _ in matching), default=0) + 2
        options = self.query_one(OptionList)
        options.clear_options()
        lines = [f"{shown.line(value):<{width}}{shown.line(remark)}" for value, remark in matching]
        options.add_options(
            [Option(Content(line)) for line in lines] or [Option(Content(self._empty), disabled=True)]
        )
        options.highlighted = 0 if matching else None

    def action_escape(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)

    def action_field_up(self) -> None:
        """One choice up while typing."""
        self._step(-1)

    def action_field_down(self) -> None:
        """One choice down while typing."""
        self._step(1)

    def _step(self, offset: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            options.highlighted = ((options.highlighted or 0) + offset) % len(self._shown)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self._is_submitted = True
        if self._choices is not None:
            self._choose(self.query_one(OptionList).highlighted)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._choose(event.option_index)

    def _choose(self, index: int | None) -> None:
        if index is not None and index < len(self._shown):
            self.dismiss(self._shown[index])


# Lines of a dialog besides its title and its text.
_AROUND = 7


class Confirm(ModalScreen[bool]):
    """A question that the user must answer by key, and what it is about, scrolled with the movement keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("confirm")
    NAME: ClassVar[str] = "confirm"

    def __init__(self, question: str, text: str = "") -> None:
        super().__init__()
        self._question, self._text = question, text

    def compose(self) -> ComposeResult:
        """Question, text and keys."""
        with Vertical(classes="dialog -wide" if self._text else "dialog"):
            yield Static(shown.content(self._question), classes="dialog-title")
            if self._text:
                yield Page(id="confirm-text")
            hint = f"{key_for(self, 'yes')} yes   {key_for(self, 'no')} no"
            yield Static(Content(hint), id="dialog-hint")

    @on(Page.Resized)
    @work(exclusive=True, group="confirm-text")
    async def _lay_out(self) -> None:
        """Wrap the text for the width of the dialog, which is as high as the text if there is room."""
        width = max(1, self.query_one(Page).scrollable_content_region.width)
        lines = await asyncio.to_thread(plain_lines, self._text, width)
        if self.query(Page):
            page = self.query_one(Page)
            room = self.app.size.height - self.query_one(".dialog-title").size.height - _AROUND
            page.styles.height = max(1, min(len(lines), room))
            page.show(lines, self._text)

    def action_yes(self) -> None:
        """Yes."""
        self.dismiss(True)

    def action_no(self) -> None:
        """No."""
        self.dismiss(False)

    def action_escape(self) -> None:
        """Leaving means no."""
        self.dismiss(False)


@dataclass(frozen=True, slots=True)
class Written:
    """A prompt block as typed, and whether the user saved it or left."""

    prompt: Prompt
    is_saved: bool


class WritePrompt(ModalScreen[Written]):
    """The prompt block: its text and its position. An empty text removes it; who leaves gets the text back later."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt")
    NAME: ClassVar[str] = "prompt"
    _POSITIONS: ClassVar[tuple[Position, ...]] = ("last", "first", "both")

    def __init__(self, prompt: Prompt | None, is_draft: bool = False) -> None:
        super().__init__()
        self._prompt = prompt
        self._title = "Prompt block, as you left it without saving" if is_draft else "Prompt block"
        # The editor shows the text made harmless; unchanged text is kept as it was.
        self._shown = plain(prompt.text) if prompt else ""
        self._position: Position = prompt.position if prompt else "last"

    def compose(self) -> ComposeResult:
        """The text and a line of keys."""
        with Vertical(classes="dialog -tall"):
            yield Static(Content(self._title), classes="dialog-title")
            yield TextArea(self._shown, id="prompt-text")
            yield Static(id="dialog-hint")

    def on_mount(self) -> None:
        """Show the keys."""
        self._tell()

    def _tell(self) -> None:
        words = {"last": "after the documents", "first": "before the documents", "both": "before and after"}
        self.query_one("#dialog-hint", Static).update(
            Content(
                f"{words[self._position]} ({key_for(self, 'position', True)} changes this)   "
                f"{key_for(self, 'store', True)} saves, empty removes it   {key_for(self, 'escape')} leaves"
            )
        )

    def action_position(self) -> None:
        """Switch to the next position."""
        index = self._POSITIONS.index(self._position)
        self._position = self._POSITIONS[(index + 1) % len(self._POSITIONS)]
        self._tell()

    def action_store(self) -> None:
        """Save the text as typed."""
        self.dismiss(Written(self._typed, True))

    def action_escape(self) -> None:
        """Leave without saving."""
        self.dismiss(Written(self._typed, False))

    @property
    def _typed(self) -> Prompt:
        text = self.query_one(TextArea).text
        if self._prompt is not None and text == self._shown:
            text = self._prompt.text
        return Prompt(text, self._position)
