"""The form of one business entry: its metadata line by line, and its Markdown text."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.entries.types import ContextCategory, ContextEntry
from ctxtui.session.entry_book import EntryBook, EntryDraft, EntryExists, Written
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Confirm
from ctxtui.tui.widgets.editor import Editor

_NAMES = [category.value for category in ContextCategory]


class EntryForm(ModalScreen[Written | None]):
    """Writes a new entry or edits one; returns what was saved."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("entry")
    NAME: ClassVar[str] = "entry"

    def __init__(self, book: EntryBook, entry: ContextEntry | None = None) -> None:
        super().__init__()
        self._book, self._entry = book, entry
        # The editor shows the text made harmless; unchanged text is saved as it was.
        self._shown = plain(entry.content) if entry else ""

    def compose(self) -> ComposeResult:
        """Four fields and the text."""
        entry = self._entry
        title = f"Entry {entry.entry_id}" if entry else f"New entry in {self._book.directory or '.'}"
        code = str(entry.reference_code) if entry and entry.reference_code else ""
        with Vertical(classes="dialog -full"):
            yield Static(shown.content(title), classes="dialog-title")
            category = Input(
                entry.category.value if entry else "",
                placeholder=" ".join(_NAMES),
                suggester=SuggestFromList(_NAMES, case_sensitive=False),
                id="category",
            )
            yield Horizontal(Static("category", classes="label"), category, classes="line")
            tags = Input(", ".join(entry.tags) if entry else "", placeholder="separated by commas", id="tags")
            yield Horizontal(Static("tags", classes="label"), tags, classes="line")
            thread = Input(code, placeholder="CTX-YYYY-MMDD-NNN, or empty", id="reference")
            yield Horizontal(Static("reference", classes="label"), thread, classes="line")
            if entry is None:
                id_ = Input(placeholder="made from the day and the first words", id="entry-id")
                yield Horizontal(Static("id", classes="label"), id_, classes="line")
            yield Editor(self._shown, language=None, id="entry-text")
            keys = f"{key_for(self, 'store', True)} saves   {key_for(self, 'escape')} leaves"
            yield Static(Content(f"tab next field   {keys}"), id="dialog-hint")

    def on_mount(self) -> None:
        """Focus the field that the user needs first."""
        self.query_one("#entry-text" if self._entry else "#category").focus()

    def _draft(self) -> EntryDraft:
        text = self.query_one("#entry-text", Editor).text
        if self._entry is not None and text == self._shown:
            text = self._entry.content
        return EntryDraft(
            text,
            self.query_one("#category", Input).value,
            self.query_one("#tags", Input).value,
            self.query_one("#reference", Input).value,
            self._entry.entry_id if self._entry else self.query_one("#entry-id", Input).value,
            self._entry.created_at if self._entry else None,
        )

    @work(exclusive=True, group="dialog")
    async def action_store(self) -> None:
        """Save the entry; if that fails, show why and keep the form."""
        try:
            written = await self._stored(self._draft())
            if written:
                self.dismiss(written)
        except ContextError as error:
            hint = self.query_one("#dialog-hint", Static)
            hint.update(shown.content(f"{error.message}{f'; {error.hint}' if error.hint else ''}"))
            hint.add_class("-wrong")

    async def _stored(self, draft: EntryDraft) -> Written | None:
        """Save the entry; ask before replacing another one, and return None if the user declines."""
        try:
            if self._entry is None:
                return await self._book.add(draft)
            return await self._book.replace(draft, self._entry)
        except EntryExists as error:
            if not await self.app.push_screen_wait(Confirm(f"{error.message}. Replace it?")):
                return None
            return await self._book.replace(draft)

    @work(exclusive=True, group="dialog")
    async def action_escape(self) -> None:
        """Leave; ask before discarding changes."""
        is_changed = self.query_one("#entry-text", Editor).text != self._shown
        if not is_changed or await self.app.push_screen_wait(Confirm("Discard what you wrote?")):
            self.dismiss(None)
