"""The Search screen: one list over everything, or one scope, as you type. Hits can be picked and opened."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from functools import partial
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.content import Content

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import byte_size, plural
from ctxtui.core.payload.types import Prompt
from ctxtui.retrieval.index.index import Reached
from ctxtui.session.queries.prompt_search import FILESYSTEM, Passages, PromptSearch
from ctxtui.session.queries.whole_search import with_names
from ctxtui.session.session import Session
from ctxtui.session.suggest.suggest import suggest
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.names import Name
from ctxtui.tui.screens.list_screen import PickScreen
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.meter import Meter
from ctxtui.tui.widgets.rows import Cell, Drawn
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.tui.work.background import DEBOUNCE, started
from ctxtui.tui.work.findings import is_large
from ctxtui.workspace.search import SCOPES, Hit, Searcher

ALL: Final = "all"
PROMPT: Final = "prompt"
TASK: Final = "task"
# Fewer tokens than the least part of a file takes with its header.
_LEAST_ROOM: Final = 50
_OF_TASK: Final = "what belongs to a task"
_SAY_TASK: Final = "say in a sentence what is wanted"
_LOOKED: Final = {ALL: "names, metadata, symbols, headings and text", **SCOPES, TASK: _OF_TASK}
NOTHING: Final = Passages(())
# The count already says it.
_SHOWN: Final = "index-incomplete"
_SLOW_DEBOUNCE: Final = 0.25
# The seconds between two numbers of read files.
_TELL: Final = 0.3
_ROW: Final = 200
_LEAST_STEM: Final = 3
# The share of a row that a hit's place leaves to its text.
_EXCERPT: Final = 0.5
# The least width for rows with an excerpt to say where the words matched.
_WITH_MATCHED: Final = 100


def _word_pattern(words: Sequence[str], are_whole: bool) -> re.Pattern[str]:
    """A pattern for words at the beginning of words. Short words, with `are_whole` all, must match whole words."""
    ends = (r"(?!\w)" if are_whole or len(word) < _LEAST_STEM else "" for word in words)
    told = "|".join(re.escape(word) + end for word, end in zip(words, ends, strict=True))
    return re.compile(rf"(?<![^\W_])(?:{told})", re.IGNORECASE)


class Search(PickScreen[Hit]):
    """Searches as the user types. Returns the id of a document or section to go to."""

    BINDINGS = bindings("search")
    NAME = "search"
    AUTO_FOCUS = "#query"
    TABS = (ALL, *SCOPES, PROMPT, TASK)

    def __init__(self, desk: Desk, prompter: PromptSearch, scope: str = ALL, query: str = "") -> None:
        super().__init__(desk, query)
        self.tab = scope
        self._prompter = prompter
        self._engine = FILESYSTEM
        self._searcher: Searcher | None = None
        self._stop = threading.Event()
        self._is_busy = False
        # Whether the text of the whole project was searched before.
        self._is_indexed = False
        self._found = NOTHING
        # How much of the project a task waits for.
        self._reached: Reached | None = None

    def body(self) -> ComposeResult:
        yield from super().body()
        meter = Meter(id="picked")
        meter.show(self.desk)
        yield meter

    def on_mount(self) -> None:
        self.query_one(TabLine).open = self.tab
        self.show_tab()

    def on_unmount(self) -> None:
        self._stop.set()

    def action_scope(self) -> None:
        self.step_tab(1)

    def show_tab(self) -> None:
        keys = self.query_one(KeyBar)
        self.field = keys.panel = keys.field = {PROMPT: "passages", TASK: TASK}.get(self.tab, "hits")
        keys.remarks = {"engine": f": {self._engine}"}
        self.query_one(FilterInput).placeholder = _SAY_TASK if self.tab == TASK else self.PLACEHOLDER
        # Clear the hits of the last scope.
        self.show((), 0)
        self.find()

    def find(self) -> None:
        """Search for the words typed, in place of an earlier search."""
        self._is_busy, self._trouble, self._reached = bool(self.typed.strip()), "", None
        self.finding = self._find()
        self.tell_row()

    @work(exclusive=True, group="search")
    async def _find(self) -> None:
        """Show the first hits after a pause, of a large project at first those in names, then search on."""
        self._stop.set()
        stop = self._stop = threading.Event()
        is_slow = self._engine != FILESYSTEM or self.tab == TASK
        await asyncio.sleep(_SLOW_DEBOUNCE if is_slow else DEBOUNCE)
        session = self.desk.now
        names_first = self.tab == ALL and not self._is_indexed and is_large(session)
        is_more = await self._show_found(session, stop, is_first=True, with_text=not names_first)
        if names_first or is_more:
            self._search_on(session, stop)

    @work(exclusive=True, group="search-on")
    async def _search_on(self, session: Session, stop: threading.Event) -> None:
        """Ask again until the whole project is indexed. The cursor stays on its hit."""
        while await self._show_found(session, stop):
            pass

    async def _show_found(
        self, session: Session, stop: threading.Event, is_first: bool = False, with_text: bool = True
    ) -> bool:
        """Show the hits, with the cursor on the first if `is_first`. Returns whether asking again finds more."""
        found = await self._answer(session, stop, with_text)
        if found is None:
            return False
        current = self.rows.current if self.has_rows and not is_first else None
        ids = [hit.id for hit in found.hits]
        self.show(found.hits, 0 if is_first else ids.index(current.id) if current and current.id in ids else None)
        return found.reached is not None

    async def _answer(self, session: Session, stop: threading.Event, with_text: bool) -> Passages | None:
        """The current passages, None if the search was replaced or failed. Failures are shown."""
        answer = asyncio.to_thread(self._hits, session, self.tab, self.typed, stop, with_text)
        try:
            with started(answer) as asked:
                while not (await asyncio.wait({asked}, timeout=_TELL))[0]:
                    self.tell_row()
                found = await asked
        except ContextError as error:
            if not stop.is_set():
                self._is_busy, self._found = False, NOTHING
                self.show((), 0)
                self.fail(error)
            return None
        if stop.is_set():
            return None
        self._is_busy, self._found = self.tab == ALL and not with_text, found
        self._is_indexed |= with_text and self.tab == ALL and found.reached is None
        return found

    def _hits(self, session: Session, scope: str, query: str, stop: threading.Event, with_text: bool) -> Passages:
        """The hits of a query in a scope, none for a blank query. `with_text` also searches texts in the scope `all`.

        Raises ContextError with the name of the engine if an engine fails in the scope `prompt`.
        """
        if not query.strip():
            return NOTHING
        if scope == PROMPT:
            try:
                return self._prompter.find(session.workspace, self._engine, query, stop)
            except ContextError as error:
                raise ContextError(error.category, f"{self._engine}: {error.message}", hint=error.hint) from error
        if scope == TASK:
            return self._suggested(session, query, stop)
        searcher = self._searcher
        if searcher is None or searcher.workspace is not session.workspace:
            searcher = self._searcher = Searcher(session.workspace)
        if scope == ALL:
            passages = self._prompter.find(session.workspace, FILESYSTEM, query, stop) if with_text else NOTHING
            return with_names(searcher, query, passages, self._prompter)
        return Passages(searcher.find(scope, query, None, stop))

    def _suggested(self, session: Session, task: str, stop: threading.Event) -> Passages:
        """The parts that belong to a task within the budget, as hits with their reasons."""

        def reach(reached: Reached) -> None:
            if not stop.is_set():
                self._reached = reached

        found = suggest(session, task, partial(self._prompter.weigh, session.workspace, on_reached=reach))
        by_id = session.workspace.by_id
        hits = [
            Hit(
                row.id,
                by_id[row.document],
                row.score,
                (row.group,),
                excerpt=row.reason,
                name=Target.parse(row.id).section,
            )
            for row in found.rows
        ]
        return Passages(hits, found.notices, tokens=found.tokens)

    @property
    def count(self) -> str:
        hits, reached = plural(self.rows.count, "hit"), self._found.reached
        if self._is_busy:
            waits = f"reading the text: {self._reached.words} …" if self._reached else "searching …"
            return f"{hits} in names, searching the text …" if self.rows.count else waits
        if self._found.tokens:
            hits = f"{hits}, {plural(self._found.tokens, 'token')} with all of them"
        return f"{hits}, text of {reached.words} read …" if reached is not None else hits

    def drawn(self, item: Hit) -> Drawn:
        session = self.desk.now
        large = session.uncounted([item.reference])
        tokens = None if large else session.tokens(item.id)
        place = item.reference.path if item.line is None else f"{item.reference.path}:{item.line}"
        missing = byte_size(item.reference.stamp.size) if large else "–"
        size = missing if tokens is None else shown.number(tokens, session.budget.counter)
        left: list[Cell] = [
            self.mark_cell(item.id),
            # A proposal is in the order of its parts, not of the whole.
            (f"{item.relevance:.2f} " if self.tab != TASK else "", "dim"),
            Name(shown.line(place), yields=_EXCERPT),
            (f"  {shown.line(item.name)}" if item.name else "", ""),
            (f"  {shown.line(item.matching[:_ROW] or item.reference.title)}", "dim"),
        ]
        is_told = not item.excerpt or self.size.width >= _WITH_MATCHED
        matched = [(f" {', '.join(item.matched_on)} ", "note")] if is_told else []
        return left, [*matched, (f" {size:>7} ", "")]

    def destination(self, item: Hit) -> str:
        return item.reference.id if Target.parse(item.id).lines else item.id

    def detail(self, item: Hit) -> Content:
        said = [item.reference.title, item.reference.path, *([item.name] if item.name else [])]
        said += [each.message for each in self._found.notices if each.path is None and each.code != _SHOWN]
        head = f"{' · '.join(said)}\n"
        excerpt = shown.content(item.excerpt or ", ".join(item.reference.details.tags))
        words = item.terms or self.typed.split()
        # A suggestion gives its reason there, in words of its own.
        if words and self.tab != TASK:
            excerpt = excerpt.highlight_regex(_word_pattern(words, bool(item.terms)), style="$text-accent bold")
        return Content.assemble(shown.content(head), excerpt)

    def nothing(self) -> str:
        looked = _LOOKED.get(self.tab, f"passages that answer the prompt ({self._engine})")
        if self._is_busy:
            return f"searching {looked} …"
        layout, limit = self.desk.figures.layout, self.desk.now.budget.effective
        if self.tab == TASK and self.typed.strip() and limit and layout and limit - layout.wanted < _LEAST_ROOM:
            return f"no room is left for {_OF_TASK}: raise the budget, or drop picks"
        if self.typed.strip():
            return "nothing seems to belong to this task" if self.tab == TASK else f"nothing found in {looked}"
        return f"suggests {looked}; {_SAY_TASK}" if self.tab == TASK else f"searches {looked}"

    def action_pick(self) -> None:
        """Pick or drop the hit, and offer the task as the prompt block.

        A hit that is part of a whole pick stays, so that no key takes a file apart.
        """
        hit = self.rows.current
        if hit is None:
            return
        pick = self.desk.now.selection.document_pick(hit.reference.id)
        is_part = pick is not None and pick.whole and hit.id != pick.id
        if is_part and shown.mark(self.desk.now, hit.id) == shown.MARKS["all"]:
            self.notify(f"{hit.reference.id} is picked as a whole")
            return
        self.desk.attempt(lambda session: session.toggle(hit.id))
        self.rows.refresh()
        if self.tab == TASK and (offer := self._offer_task()):
            self.notify(offer)

    def _offer_task(self) -> str:
        """Keep the task as a draft of the prompt block, unless there is one. Returns a hint, or an empty text."""
        if self.desk.now.selection.prompt is not None or self.desk.prompt_draft is not None:
            return ""
        self.desk.prompt_draft = Prompt(self.typed, "last")
        return f"{key_for(self, 'prompt')} on the main screen offers the task as prompt block"

    def action_pick_found(self) -> None:
        """Pick all proposals, and offer the task as the prompt block."""
        ids = [hit.id for hit in self.rows.items]
        if ids:
            self.desk.attempt(lambda session: session.pick_in_order(ids), len(ids))
            told = filter(None, (f"picked {plural(len(ids), 'proposal')}", self._offer_task()))
            self.notify("; ".join(told))
            self.rows.refresh()

    def action_engine(self) -> None:
        engines = self._prompter.engines
        self._engine = engines[(engines.index(self._engine) + 1) % len(engines)]
        self.show_tab()

    def action_pick_lines(self) -> None:
        """Pick only the lines of the passage under the cursor, not its whole section."""
        hit = self.rows.current
        if hit is not None and hit.lines is not None:
            first, last = hit.lines
            self.desk.attempt(lambda session: session.with_snippet(hit.reference.id, first, last))
            self.notify(f"picked {hit.reference.id}, lines {first}-{last}")

    def field_keep(self) -> None:
        """Go to the document of the hit, but for a task only to the list of hits, since all of them belong to it."""
        if self.tab == TASK and self.rows.count:
            super().field_keep()
        elif self.tab != TASK:
            self.action_enter()

    field_clear = PickScreen.action_close

    action_escape = PickScreen.action_close
