"""Search: what metadata say and what texts hold, as you type; hits can be picked and gone to."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerError

from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.session.prompt_search import FILESYSTEM, Prompter
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.screens.live import LiveScreen
from ctxtui.tui.screens.overlay import Overlay
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.workspace.search import SCOPES, Hit, Searcher

PROMPT: Final = "prompt"
_DEBOUNCE: Final = 0.06
_SLOW_DEBOUNCE: Final = 0.25
_ROW: Final = 200


class HitList(Rows):
    """One hit a row, with mark, relevance and tokens."""

    def __init__(self, live: LiveScreen) -> None:
        super().__init__(id="hits")
        self._live = live
        self.hits: Sequence[Hit] = ()

    def show(self, hits: Sequence[Hit]) -> None:
        """Show other hits, from the first on."""
        self.hits = hits
        self.set_count(len(hits), 0)

    @property
    def current(self) -> Hit | None:
        """The hit under the cursor."""
        return self.hits[self.cursor] if self.hits else None

    def mark_columns(self, index: int) -> range:
        """Where the mark stands in a row."""
        del index
        return range(1, 4)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Mark, relevance, place and excerpt; what matched and tokens."""
        hit, session = self.hits[index], self._live.session
        if session is None:
            return [], []
        mark, tokens = shown.mark(session, hit.id), session.tokens(hit.id)
        style = shown.MARK_STYLES[mark]
        place = hit.id if hit.line is None else f"{hit.id}:{hit.line}"
        size = "–" if tokens is None else shown.number(tokens, session.budget.counter)
        left: list[Cell] = [(f"{mark} ", style), (f"{hit.relevance:.2f} ", "dim"), (shown.line(place), "")]
        left.append((f"  {shown.line(hit.excerpt[:_ROW] or hit.reference.title)}", "dim"))
        return left, [(f" {', '.join(hit.matched_on)} ", "accent"), (f"{size:>7} ", "")]


class Search(Overlay[str]):
    """Typing searches; ends with the id of a document or section to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("search")
    NAME: ClassVar[str] = "search"

    def __init__(self, live: LiveScreen, prompter: Prompter, scope: str = "meta", query: str = "") -> None:
        super().__init__()
        self._live, self._scope, self._query = live, scope, query
        self._prompter = prompter
        self._engine = FILESYSTEM
        self._searcher: Searcher | None = None
        self._stop = threading.Event()
        self._searching: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Scopes, input, hits, and the hit under the cursor."""
        with Vertical(classes="dialog -full"):
            yield TabLine((*SCOPES, PROMPT), id="scopes")
            yield FilterInput(self._query, placeholder="words to look for", id="query")
            yield HitList(self._live)
            yield Static(id="hit-text")
            yield KeyBar("search", is_typing=True)

    def on_mount(self) -> None:
        """Begin with what was asked last."""
        self.query_one(FilterInput).focus()
        self._show_scope()

    def on_unmount(self) -> None:
        """End a search that is under way."""
        self._stop.set()

    @property
    def state(self) -> tuple[str, str]:
        """Scope and query, to begin with next time."""
        return self._scope, self._query

    def action_scope(self) -> None:
        """Look elsewhere."""
        names = [*SCOPES, PROMPT]
        self._scope = names[(names.index(self._scope) + 1) % len(names)]
        self._show_scope()

    @on(TabLine.Chosen)
    def _scope_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self._scope = event.name
        self._show_scope()

    def _show_scope(self) -> None:
        self.query_one(TabLine).open = self._scope
        keys = self.query_one(KeyBar)
        keys.panel = "passages" if self._scope == PROMPT else "hits"
        keys.remarks = {"engine": f": {self._engine}"}
        self._searching = self.search()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._query = event.value
        self._searching = self.search()

    @work(exclusive=True, group="search")
    async def search(self) -> None:
        """Search for what was typed last, once things are quiet."""
        self._stop.set()
        stop = self._stop = threading.Event()
        await asyncio.sleep(_DEBOUNCE if self._engine == FILESYSTEM else _SLOW_DEBOUNCE)
        session = self._live.session
        if session is None:
            return
        if self._scope == PROMPT:
            await self._search_prompt(session, stop)
            return
        if self._searcher is None or self._searcher.workspace is not session.workspace:
            self._searcher = Searcher(session.workspace)
        find = self._searcher.find
        hits = await asyncio.to_thread(find, self._scope, self._query, None, stop) if self._query.strip() else []
        if not stop.is_set() and self.query(HitList):
            self.query_one(HitList).show(hits)
            self._tell()

    async def _search_prompt(self, session: Session, stop: threading.Event) -> None:
        find = self._prompter.find
        wrong = ""
        hits: list[Hit] = []
        try:
            if self._query.strip():
                hits = await asyncio.to_thread(find, session.workspace, self._engine, self._query, stop)
        except ContextError as error:
            wrong = f"{self._engine}: {error.message}{f'; {error.hint}' if error.hint else ''}"
        if not stop.is_set() and self.query(HitList):
            self.query_one(HitList).show(hits)
            self._tell()
            if wrong:
                self.query_one("#hit-text", Static).update(shown.content(wrong))

    def action_engine(self) -> None:
        """Ask the next engine that is configured."""
        engines = self._prompter.engines
        self._engine = engines[(engines.index(self._engine) + 1) % len(engines)]
        self._show_scope()

    def action_pick_lines(self) -> None:
        """Pick the lines of the passage under the cursor, and not its whole section."""
        hit = self.query_one(HitList).current
        if hit is not None and hit.lines is not None:
            first, last = hit.lines
            self._live.attempt(lambda session: session.with_snippet(hit.reference.id, first, last))
            self.notify(plain(f"picked {hit.reference.id}, lines {first}-{last}"), markup=False)

    def _tell(self) -> None:
        """The hit under the cursor, with the words that were looked for."""
        hit = self.query_one(HitList).current
        text = self.query_one("#hit-text", Static)
        if hit is None:
            looked = SCOPES.get(self._scope, f"passages that answer the prompt ({self._engine})")
            text.update(Content(f"nothing found in {looked}" if self._query.strip() else f"searches {looked}"))
            return
        count = len(self.query_one(HitList).hits)
        head = f"{hit.reference.title} · {hit.reference.path} · {shown.counted(count, 'hit')}\n"
        words = [re.escape(word) for word in hit.terms or self._query.split()]
        excerpt = shown.content(hit.excerpt or ", ".join(hit.reference.details.tags))
        if words:
            excerpt = excerpt.highlight_regex(re.compile("|".join(words), re.IGNORECASE), style="$text-accent bold")
        text.update(Content.assemble(shown.content(head), excerpt))

    def on_rows_moved(self) -> None:
        """Show the other hit."""
        self._tell()

    @on(Rows.Entered)
    def action_enter(self) -> None:
        """Go to the hit."""
        hit = self.query_one(HitList).current
        if hit is not None:
            self.dismiss(hit.id)

    @on(Rows.MarkClicked)
    def action_pick(self) -> None:
        """Pick or drop the hit under the cursor."""
        hits = self.query_one(HitList)
        if hits.current is not None:
            id_ = hits.current.id
            self._live.attempt(lambda session: session.toggle(id_))
            hits.refresh()

    @on(FilterInput.Command)
    async def _key(self, event: FilterInput.Command) -> None:
        event.stop()
        if self._searching is not None and event.name != "clear":
            # What was typed last must be on screen before a key means a row of it.
            with suppress(WorkerError):
                await self._searching.wait()
        hits = self.query_one(HitList)
        if event.name == "pick":
            self.action_pick()
            hits.action_down()
        elif event.name == "keep":
            self.action_enter()
        elif event.name == "clear":
            self.dismiss(None)
        else:
            getattr(hits, f"action_{event.name}")()
