"""The Entries screen: a table of business entries to filter, edit, and pick singly or as a query."""

from __future__ import annotations

import asyncio
from datetime import UTC

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain
from ctxtui.core.documents.records.file import ENTRY_ID
from ctxtui.entries.source import document_id
from ctxtui.entries.types import ContextCategory, ContextEntry, ContextQuery
from ctxtui.session.queries.entry_book import (
    DEFAULT_DIRECTORY,
    EntryBook,
    EntryDraft,
    EntryExists,
    Written,
    typed_filter,
)
from ctxtui.session.queries.questions import entry_directories, filter_data
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.screens.dialogs import Ask, Confirm, Dialog
from ctxtui.tui.screens.list_screen import PickScreen
from ctxtui.tui.screens.write_prompt import Editor
from ctxtui.tui.widgets.rows import Cell, Drawn
from ctxtui.tui.work.background import DEBOUNCE

_NAMES = [category.value for category in ContextCategory]

_PREVIEW = 600


class EntryForm(Dialog[Written | None]):
    """Writes a new entry or edits one. Returns the saved entry, None if canceled."""

    BINDINGS = bindings("entry")
    NAME = "entry"

    def __init__(self, book: EntryBook, entry: ContextEntry | None = None) -> None:
        super().__init__()
        self._book, self._entry = book, entry
        # The editor shows harmless text. Unchanged text is saved as it was.
        self._shown = plain(entry.content) if entry else ""

    def compose(self) -> ComposeResult:
        entry = self._entry
        title = f"Entry {entry.entry_id}" if entry else f"New entry in {self._book.directory or '.'}"
        code = str(entry.reference_code) if entry and entry.reference_code else ""
        with Vertical(classes="dialog -full"):
            yield Static(shown.content(title), classes="dialog-title")
            suggester = SuggestFromList(_NAMES, case_sensitive=False)
            category, tags = (entry.category.value, ", ".join(entry.tags)) if entry else ("", "")
            fields = {
                "category": Input(category, placeholder=" ".join(_NAMES), suggester=suggester, id="category"),
                "tags": Input(tags, placeholder="separated by commas", id="tags"),
                "reference": Input(code, placeholder="CTX-YYYY-MMDD-NNN, or empty", id="reference"),
            }
            if entry is None:
                fields["id"] = Input(placeholder="made from the day and the first words", id="entry-id")
            for label, field in fields.items():
                yield Horizontal(Static(label, classes="label"), field, classes="line")
            yield Editor(self._shown, language=None, id="entry-text")
            keys = f"{key_for(self, 'store', True)} saves   {key_for(self, 'escape')} leaves"
            yield Static(Content(f"tab next field   {keys}"), id="dialog-hint")

    def on_mount(self) -> None:
        self._first = self._draft()
        self.query_one("#entry-text" if self._entry else "#category").focus()

    def _draft(self) -> EntryDraft:
        """The entry as the form has it, with the text of an edited entry unless it was changed."""
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
        try:
            written = await self._stored(self._draft())
            if written:
                self.dismiss(written)
        except ContextError as error:
            self.complain(error)

    async def _stored(self, draft: EntryDraft) -> Written | None:
        """Save the entry. If it would replace another entry, ask first, and return None if the user declines."""
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
        if self._draft() == self._first or await self.app.push_screen_wait(Confirm("Discard what you wrote?")):
            self.dismiss(None)


def _tokens(session: Session, entry: ContextEntry) -> int:
    """The tokens of an entry's text. They are cached, because each drawing of a row asks for them."""
    counter = session.budget.counter
    tokens: int = session.workspace.reader.derived.get(
        ("entry", entry.content, counter), lambda: counter.count(entry.content)
    )
    return tokens


class Entries(PickScreen[ContextEntry]):
    """The entries of one directory. Returns the id of the entry to go to."""

    BINDINGS = bindings("entries")
    NAME = "entries"
    PLACEHOLDER = "words  #tag  @category  CTX-2026-0226-001"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._place = 0
        self._book: EntryBook | None = None
        self._filter = ContextQuery()
        self._every = 0

    def on_mount(self) -> None:
        self.find()

    @property
    def _directories(self) -> list[str]:
        return entry_directories(self.desk.now.workspace)

    def find(self) -> None:
        self.finding = self._find()

    @work(exclusive=True, group="entries")
    async def _find(self) -> None:
        """Read the directory and show the entries that the filter finds. The cursor stays on its entry."""
        await asyncio.sleep(DEBOUNCE)
        known = self._directories
        directory = known[self._place % len(known)] if known else DEFAULT_DIRECTORY
        if self._book is None or self._book.directory != directory:
            self._book = EntryBook(self.desk.now.workspace, directory, lambda _notice: None)
        try:
            self._filter = typed_filter(self.typed)
            found = await self._book.find(self._filter)
            every = await self._book.find(ContextQuery())
        except ContextError as error:
            self.fail(error)
            return
        if self.has_rows:
            current = self.rows.current.entry_id if self.rows.current else None
            places = {entry.entry_id: place for place, entry in enumerate(found)}
            self._every = len(every)
            self.show(found, places.get(current, 0) if current else 0)

    @property
    def heading(self) -> str:
        directory = self._book.directory if self._book else DEFAULT_DIRECTORY
        known = self._directories
        place = f" ({self._place % len(known) + 1} of {len(known)})" if known else ""
        return f"Entries   {directory or '.'}{place}"

    @property
    def count(self) -> str:
        return f"{self.rows.count:,} of {self._every:,}"

    def drawn(self, item: ContextEntry) -> Drawn:
        session = self.desk.now
        day = item.created_at.astimezone(UTC).date().isoformat()
        tags = "".join(f" #{tag}" for tag in item.tags)
        first = next((line.strip() for line in item.content.splitlines() if line.strip()), "")
        left: list[Cell] = [
            self.mark_cell(self.destination(item)),
            (f"{day} ", "dim"),
            (f"{item.category.value:<13} ", "accent"),
            (shown.line(item.entry_id), ""),
            (shown.line(tags), "accent"),
            (f"  {shown.line(first)}", "dim"),
        ]
        code = f" {item.reference_code}" if item.reference_code else ""
        size = shown.number(_tokens(session, item), session.budget.counter)
        return left, [(f"{code} ", "dim"), (f"{size:>7} ", "")]

    def destination(self, item: ContextEntry) -> str:
        """The id of the entry's document, which is its path if an entry of another directory owns the entry's id."""
        id_, directory = document_id(item.entry_id), self._book.directory if self._book else ""
        workspace = self.desk.now.workspace
        owner, folder = workspace.by_id.get(id_), workspace.tree.folder(f"{directory}/".lstrip("/"))
        if owner is None or folder is None or owner.path.rpartition("/")[0] == directory:
            return id_
        here = (
            node.reference for node in folder.children if node.reference and node.reference.source == owner.source
        )
        return next((each.id for each in here if str(each.details.values.get(ENTRY_ID)) == item.entry_id), id_)

    def detail(self, item: ContextEntry) -> str:
        return item.content[:_PREVIEW]

    def nothing(self) -> str:
        if self.typed.strip():
            return "no entry matches the filter"
        return f"no entries yet; {key_for(self, 'new')} writes one"

    action_entries = PickScreen.action_close

    def step_tab(self, step: int) -> None:
        self._place += step
        self.find()

    @work(exclusive=True, group="dialog")
    async def action_pick_filter(self) -> None:
        data: dict[str, object] = {"entries": filter_data(self._filter)}
        if len(self._directories) > 1 and self._book is not None:
            data["from"] = self._book.directory or "."
        hint = "runs again each time the payload is built"
        answer = await self.app.push_screen_wait(Ask("Name of the query", hint, "entries"))
        if answer and answer.strip():
            self.desk.attempt(lambda session: session.with_query(answer, data))
            self.notify(f"picked as query {answer.strip()}; {key_for(self, 'undo')} drops it again")

    @work(exclusive=True, group="dialog")
    async def action_new(self) -> None:
        if self._book is not None:
            await self._open_form(EntryForm(self._book))

    @work(exclusive=True, group="dialog")
    async def action_edit(self) -> None:
        entry = self.rows.current
        if entry is not None and self._book is not None:
            await self._open_form(EntryForm(self._book, entry))

    async def _open_form(self, form: EntryForm) -> None:
        """Let the user write an entry, and show it once it is saved."""
        written = await self.app.push_screen_wait(form)
        if written is None:
            return
        await self.desk.refresh_workspace()
        remark = f"; {written.remark}" if written.remark else ""
        self.notify(f"saved {written.entry.entry_id}{remark}")
        self.find()
