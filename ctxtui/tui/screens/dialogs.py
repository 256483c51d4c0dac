"""Small dialogs of one question each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partialmethod
from typing import Generic, TypeVar

from rich.cells import cell_len, set_cell_size
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ctxtui.core.base.errors import ContextError
from ctxtui.tui import shown
from ctxtui.tui.filtering import fold, read_filter
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.names import fit
from ctxtui.tui.panels.view_pages import diff_lines
from ctxtui.tui.widgets.page import Page

Answer = TypeVar("Answer")
Check = Callable[[str], object]
"""Raises ContextError for an answer that must not be accepted."""


class Dialog(ModalScreen[Answer], Generic[Answer]):
    """A question over a screen. It hides the screen's key bar, whose keys do nothing meanwhile."""

    def on_mount(self) -> None:
        self.mount(Static(classes="no-keys"))

    def complain(self, error: ContextError) -> None:
        """Show an error in place of the hint."""
        hint = self.query_one("#dialog-hint", Static)
        hint.update(shown.content(shown.sentence(error)))
        hint.add_class("-wrong")


class Ask(Dialog[str | None]):
    """One line of text that passes `check`, None if canceled."""

    BINDINGS = bindings("ask")
    NAME = "ask"

    def __init__(self, title: str, hint: str, value: str = "", check: Check = lambda _text: None) -> None:
        super().__init__()
        self._title, self._hint, self._value = title, hint, value
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(shown.line(self._title)), classes="dialog-title")
            yield Input(self._value, id="answer")
            yield Static(Content(f"{self._hint}\nenter accepts, {key_for(self, 'escape')} leaves"), id="dialog-hint")

    def action_escape(self) -> None:
        self.dismiss(None)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        try:
            self._check(event.value)
        except ContextError as error:
            self.complain(error)
        else:
            self.dismiss(event.value)


# The most choices to list at once, the least and most columns of a dialog, and those around its text and a choice.
_MOST = 300
_DIALOG, _WIDEST, _BESIDE, _MARGIN = 72, 120, 4, 4
# The most lines of a choice with its frame, and those that are neither choices nor the title.
_TALL, _TALL_BESIDE = 20, 6


class Choose(Dialog[str | None]):
    """A choice of many, found by typing. The answer is a choice's text, with `is_free` any text, None if canceled.

    `load` returns the choices with their remarks, in a thread. A ContextError of it takes their place. `empty` shows
    without matches, `by_name` searches no remarks.
    """

    BINDINGS = bindings("choose")
    NAME = "choose"

    def __init__(
        self,
        title: str,
        load: Callable[[], Sequence[tuple[str, str]]],
        empty: str = "nothing matches",
        *,
        is_free: bool = False,
        by_name: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__()
        self._title, self._load, self._empty = shown.line(title), load, empty
        self._is_free, self._by_name, self._hint = is_free, by_name, hint
        self._choices: Sequence[tuple[str, str]] | None = None
        self._shown: list[str] = []
        self._columns = _DIALOG
        self._is_submitted = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Input(placeholder="type to find", id="answer")
            yield OptionList(id="choices", markup=False)
            yield Static(Content(self._hint or f"enter chooses, {key_for(self, 'escape')} leaves"), id="dialog-hint")

    def on_mount(self) -> None:
        """Show the dialog at once, so that it receives the keys typed next. Then load the choices."""
        self._load_choices()

    @work(exclusive=True, group="choices")
    async def _load_choices(self) -> None:
        try:
            self._choices = await asyncio.to_thread(self._load)
        except ContextError as error:
            self._choices, self._empty = (), shown.sentence(error)
        if not self.query(Input) or not self.query(OptionList):
            # The user left the dialog before its choices were loaded.
            return
        # As large as all choices need, so that typing does not move the dialog.
        longest = max((cell_len(value) + cell_len(remark) for value, remark in self._choices[:_MOST]), default=0)
        self._columns = max(_DIALOG, min(_WIDEST, longest + 2 + _BESIDE + _MARGIN))
        title = shown.wrapped(self._title, self._room)
        lines = len(title) + max(1, len(self._choices) + self._is_free)
        styles = self.query_one(".dialog").styles
        styles.width, styles.height = self._columns, min(_TALL, _TALL_BESIDE + lines)
        self._show_choices(self.query_one(Input).value)
        if self._is_submitted:
            self._submitted()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._show_choices(event.value)

    def _show_choices(self, typed: str) -> None:
        """Show the choices with the typed words, best first, at most `_MOST`, and with `is_free` the text itself."""
        sought = read_filter(typed)
        choices = self._choices or ()
        matching = [each for each in choices if sought.holds(fold(each[0] if self._by_name else " ".join(each)))]
        # An exact match comes first, then the choices that start with the text.
        whole = typed.strip().casefold()
        matching.sort(key=lambda each: (each[0].casefold() != whole, not each[0].casefold().startswith(whole)))
        if self._is_free and whole and all(value != typed.strip() for value, _ in matching):
            matching = [*matching[: _MOST - 1], (typed.strip(), "as typed")]
        left, matching = len(matching) - _MOST, matching[:_MOST]
        self._shown = [value for value, _ in matching]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(line) for line in self._lines(matching)])
        if left > 0 or not matching:
            words = f"and {left:,} more; type to find them" if matching else self._empty
            options.add_option(Option(shown.content(words), disabled=True))
        options.highlighted = 0 if matching else None

    def _lines(self, choices: Sequence[tuple[str, str]]) -> list[Content]:
        """The choices with their remarks in a column, one line each, shortened so that they stay distinct."""
        room = self._room - _MARGIN
        longest = max((cell_len(value) for value, _ in choices), default=0)
        remarks = max((cell_len(remark) + 2 for _, remark in choices if remark), default=0)
        width = min(longest, max(room * 2 // 5, room - remarks))
        names = [set_cell_size(fit(shown.line(value), width), width) for value, _ in choices]
        lines = (f"{name}  {shown.line(remark)}".rstrip() for name, (_, remark) in zip(names, choices, strict=True))
        return [Content(line).truncate(room, ellipsis=True) for line in lines]

    @property
    def _room(self) -> int:
        return max(_MARGIN + 1, min(self._columns, int(self.app.size.width * 0.96)) - _BESIDE)

    def action_escape(self) -> None:
        self.dismiss(None)

    def _step(self, offset: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            options.highlighted = ((options.highlighted or 0) + offset) % len(self._shown)

    action_field_up = partialmethod(_step, -1)
    action_field_down = partialmethod(_step, 1)

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


# Lines of a dialog besides its title and text.
_AROUND = 7


class Confirm(Dialog[bool]):
    """A question answered by key, above a text that scrolls with the movement keys."""

    BINDINGS = bindings("confirm")
    NAME = "confirm"

    def __init__(self, question: str, text: str = "") -> None:
        super().__init__()
        self._question, self._text = question, text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide" if self._text else "dialog"):
            yield Static(shown.content(self._question), classes="dialog-title")
            if self._text:
                yield Page(id="confirm-text")
            hint = f"{key_for(self, 'yes')} yes   {key_for(self, 'no')} no"
            yield Static(Content(hint), id="dialog-hint")

    @on(Page.Resized)
    @work(exclusive=True, group="confirm-text")
    async def _lay_out(self) -> None:
        """Wrap the text for the width of the dialog, which grows with the text."""
        width = max(1, self.query_one(Page).scrollable_content_region.width)
        lines = await asyncio.to_thread(diff_lines, self._text, width)
        if self.query(Page):
            page = self.query_one(Page)
            room = self.app.size.height - self.query_one(".dialog-title").size.height - _AROUND
            page.styles.height = max(1, min(len(lines), room))
            page.show(lines, self._text)

    def action_yes(self) -> None:
        self.dismiss(True)

    def action_no(self) -> None:
        self.dismiss(False)

    action_escape = action_no
