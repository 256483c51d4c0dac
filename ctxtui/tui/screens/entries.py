"""Entries: business entries as a table, filtered as you type, written, and picked one by one or as a query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerError

from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.entries.source import document_id
from ctxtui.entries.types import ContextEntry, ContextQuery
from ctxtui.session.entry_book import DEFAULT_DIRECTORY, EntryBook, typed_filter
from ctxtui.session.queries import entry_directories, filter_data
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Ask
from ctxtui.tui.screens.entry_form import EntryForm
from ctxtui.tui.screens.overlay import Overlay
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.rows import Cell, Rows

_DEBOUNCE = 0.06


class EntryTable(Rows):
    """One entry a row: mark, date, category, id and first line; tags, reference and tokens."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(id="entries")
        self._desk = desk
        self.entries: Sequence[ContextEntry] = ()

    def show(self, entries: Sequence[ContextEntry]) -> None:
        """Show other entries; the cursor stays on its entry."""
        current = self.current.entry_id if self.current else None
        self.entries = entries
        places = {entry.entry_id: place for place, entry in enumerate(entries)}
        self.set_count(len(entries), places.get(current, 0) if current else 0)

    @property
    def current(self) -> ContextEntry | None:
        """The entry under the cursor."""
        return self.entries[self.cursor] if self.entries else None

    def mark_columns(self, index: int) -> range:
        """Where the mark stands in a row."""
        del index
        return range(1, 4)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """The cells of an entry."""
        entry, session = self.entries[index], self._desk.session
        if session is None:
            return [], []
        mark = shown.mark(session, document_id(entry.entry_id))
        style = shown.MARK_STYLES[mark]
        day = entry.created_at.astimezone(UTC).date().isoformat()
        left: list[Cell] = [(f"{mark} ", style), (f"{day} ", "dim"), (f"{entry.category.value:<13} ", "accent")]
        tags = "".join(f" #{tag}" for tag in entry.tags)
        left += [(shown.line(entry.entry_id), ""), (shown.line(tags), "accent")]
        left.append((f"  {shown.line(_first_line(entry))}", "dim"))
        code = f" {entry.reference_code}" if entry.reference_code else ""
        size = shown.number(_tokens(session, entry), session.budget.counter)
        return left, [(f"{code} ", "dim"), (f"{size:>7} ", "")]


def _tokens(session: Session, entry: ContextEntry) -> int:
    """The tokens of an entry's text; rows are drawn again and again, and counted once."""
    counter = session.budget.counter
    tokens: int = session.workspace.reader.derived.get(
        ("entry", entry.content, counter), lambda: counter.count(entry.content)
    )
    return tokens


def _first_line(entry: ContextEntry) -> str:
    return next((line.strip() for line in entry.content.splitlines() if line.strip()), "")


class Entries(Overlay[str]):
    """The entries of one directory; ends with the id of one to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("entries")
    NAME: ClassVar[str] = "entries"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._place = 0
        self._book: EntryBook | None = None
        self._typed = ""
        self._filter = ContextQuery()
        self._reading: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Title, filter, table, the entry under the cursor, and the keys."""
        with Vertical(classes="dialog -full"):
            yield Static(Content("Entries"), id="entries-title", classes="dialog-title")
            yield FilterInput(placeholder="words  #tag  @category  CTX-2026-0226-001", id="query")
            yield EntryTable(self._desk)
            yield Static(id="entry-preview")
            yield KeyBar("entries")

    def on_mount(self) -> None:
        """Show the first directory."""
        self.query_one(EntryTable).focus()
        self.refresh_entries()

    @property
    def _directories(self) -> list[str]:
        session = self._desk.session
        return entry_directories(session.workspace) if session else []

    @work(exclusive=True, group="entries")
    async def refresh_entries(self) -> None:
        """Read and filter the entries, once things are quiet."""
        await asyncio.sleep(_DEBOUNCE)
        session, known = self._desk.session, self._directories
        if session is None:
            return
        directory = known[self._place % len(known)] if known else DEFAULT_DIRECTORY
        if self._book is None or self._book.directory != directory:
            self._book = EntryBook(session.workspace, directory, lambda _notice: None)
        try:
            self._filter = typed_filter(self._typed)
            found = await self._book.find(self._filter)
            every = await self._book.find(ContextQuery())
        except ContextError as error:
            self._tell(f"{error.message}{f'; {error.hint}' if error.hint else ''}")
            return
        # The screen may have been left meanwhile.
        if self.query(EntryTable):
            self.query_one(EntryTable).show(found)
            where = f"{directory or '.'} ({self._place % len(known) + 1} of {len(known)})" if known else directory
            title = f"Entries   {where}   {len(found):,} of {len(every):,}"
            self.query_one("#entries-title", Static).update(shown.content(title))
            self.preview()

    def preview(self) -> None:
        """The beginning of the entry under the cursor."""
        entry = self.query_one(EntryTable).current
        nothing = (
            "no entry meets the filter"
            if self._typed.strip()
            else f"no entries yet; {key_for(self, 'new')} writes one"
        )
        self._tell(entry.content if entry else nothing)

    def _tell(self, text: str) -> None:
        for preview in self.query("#entry-preview").results(Static):
            preview.update(shown.content(text[:600]))

    def on_rows_moved(self) -> None:
        """Show the other entry."""
        self.preview()

    @on(Input.Changed, "#query")
    def _filter_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._typed = event.value
        self._reading = self.refresh_entries()

    @on(FilterInput.Command)
    async def _filter_key(self, event: FilterInput.Command) -> None:
        event.stop()
        if self._reading is not None and event.name != "clear":
            # What was typed last must be on screen before a key means a row of it.
            with suppress(WorkerError):
                await self._reading.wait()
        table = self.query_one(EntryTable)
        if event.name == "pick":
            self.action_pick()
            table.action_down()
        elif event.name in ("up", "down"):
            getattr(table, f"action_{event.name}")()
        else:
            if event.name == "clear":
                self.query_one(FilterInput).value = ""
            table.focus()

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterInput).focus()

    def action_escape(self) -> None:
        """Leave the filter, then the screen."""
        if self._typed:
            self.query_one(FilterInput).value = ""
        else:
            self.dismiss(None)

    def action_entries(self) -> None:
        """Back to the main screen."""
        self.dismiss(None)

    def action_next_tab(self) -> None:
        """The next entries directory of the project."""
        self._step_directory(1)

    def action_previous_tab(self) -> None:
        """The entries directory before."""
        self._step_directory(-1)

    def _step_directory(self, step: int) -> None:
        self._place += step
        self.refresh_entries()

    def action_pick(self) -> None:
        """Pick or drop the entry under the cursor."""
        table = self.query_one(EntryTable)
        if table.current is not None:
            id_ = document_id(table.current.entry_id)
            self._desk.attempt(lambda session: session.toggle(id_))
            table.refresh()

    @work(exclusive=True, group="dialog")
    async def action_pick_filter(self) -> None:
        """Pick what the filter finds, now and whenever a payload is built."""
        data: dict[str, object] = {"entries": filter_data(self._filter)}
        if len(self._directories) > 1 and self._book is not None:
            data["from"] = self._book.directory or "."
        hint = "computed anew whenever the payload is built"
        answer = await self.app.push_screen_wait(Ask("Name of the query", hint, "entries"))
        if answer and answer.strip():
            self._desk.attempt(lambda session: session.with_query(answer, data))
            message = f"picked as query {answer.strip()}; {key_for(self, 'undo')} drops it again"
            self.notify(plain(message), markup=False)

    @work(exclusive=True, group="dialog")
    async def action_new(self) -> None:
        """Write a new entry."""
        if self._book is not None:
            await self._store(EntryForm(self._book))

    @work(exclusive=True, group="dialog")
    async def action_edit(self) -> None:
        """Change the entry under the cursor."""
        entry = self.query_one(EntryTable).current
        if entry is not None and self._book is not None:
            await self._store(EntryForm(self._book, entry))

    async def _store(self, form: EntryForm) -> None:
        written = await self.app.push_screen_wait(form)
        if written is None:
            return
        await self._desk.refresh_workspace()
        remark = f"; {written.remark}" if written.remark else ""
        self.notify(plain(f"stored {written.entry.entry_id}{remark}"), markup=False)
        self.refresh_entries()

    @on(Rows.MarkClicked)
    def _mark_clicked(self) -> None:
        self.action_pick()

    @on(Rows.Entered)
    def action_enter(self) -> None:
        """Go to the entry."""
        entry = self.query_one(EntryTable).current
        if entry is not None:
            self.dismiss(document_id(entry.entry_id))
