"""The panels of the main screen, kept in step with the session and the cursor."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import replace
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.events import DescendantFocus
from textual.widgets import Input
from textual.worker import Worker

from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.core.stopping import Check, stopping
from ctxtui.core.wording import plural
from ctxtui.session.agent_start import agent_starts, agents_at_start, largest
from ctxtui.session.picks import QueryPick, SnippetPick
from ctxtui.session.session import Session
from ctxtui.tui.answers import answer_page
from ctxtui.tui.keymap import key_for
from ctxtui.tui.outcome import Launch
from ctxtui.tui.outline import matches, searchable
from ctxtui.tui.preview import lay_out
from ctxtui.tui.screens.live import LiveScreen
from ctxtui.tui.widgets.context_tree import ContextTree
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.lists import StartRow, start_rows
from ctxtui.tui.widgets.meter import Meter
from ctxtui.tui.widgets.payload_list import PayloadList
from ctxtui.tui.widgets.rows import Rows
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.tui.widgets.view import View
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

_DEBOUNCE = 0.06
PANELS: Final = ("context", "payload", "view")
_LOOKED_FOR = "AGENTS.md, CLAUDE.md, rules, skills and the like"


class PanelsScreen(LiveScreen):
    """Lays the panels out and keeps what they show in step with the session and the cursor."""

    CSS_PATH = "main.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (140, "-wide")]  # noqa: RUF012

    def __init__(self, opening: Future[Workspace], launch: Launch) -> None:
        super().__init__()
        self.opening = opening
        self.launch = launch
        self.is_rendered = False
        self._seen: Workspace | None = None
        self.filtering: Worker[None] | None = None
        self._searchable: tuple[Workspace, list[tuple[Node, str]]] | None = None

    def compose(self) -> ComposeResult:
        """Meter, panels, keys."""
        yield Meter(id="meter").data_bind(
            LiveScreen.session, LiveScreen.figures, LiveScreen.recipe, LiveScreen.is_behind, LiveScreen.price
        )
        yield TabLine(PANELS, numbered=True, id="panel-tabs")
        with Container(id="panels"):
            with Container(id="lists"):
                with Vertical(id="context", classes="panel -open"):
                    yield FilterInput(placeholder="path or heading", id="filter")
                    yield ContextTree(id="tree").data_bind(LiveScreen.session, LiveScreen.figures)
                with Vertical(id="payload", classes="panel"):
                    yield PayloadList(id="blocks").data_bind(LiveScreen.session, LiveScreen.figures)
            with Vertical(id="view", classes="panel"):
                yield View(id="view-body").data_bind(LiveScreen.session)
        yield KeyBar("main", id="keys")

    @property
    def has_panels(self) -> bool:
        """Whether the panels exist; when the app quits they go before the work that fills them ends."""
        return bool(self.query(ContextTree))

    @property
    def context_tree(self) -> ContextTree:
        """The tree of the Context panel."""
        return self.query_one(ContextTree)

    @property
    def blocks(self) -> PayloadList:
        """The list of the Payload panel."""
        return self.query_one(PayloadList)

    @property
    def view(self) -> View:
        """The body of the View panel."""
        return self.query_one(View)

    @property
    def panel(self) -> str:
        """The panel that has the focus."""
        return self.query_one("#panel-tabs", TabLine).open

    def on_mount(self) -> None:
        """Show the empty panels and wait for the project."""
        for number, panel in enumerate(PANELS, 1):
            self.query_one(f"#{panel}").border_title = f"{number} {panel.title()}"
        self.query_one(KeyBar).is_piped = self.launch.is_piped
        self.context_tree.focus()
        self._await_project()

    def on_unmount(self) -> None:
        """End what runs in the background."""
        self.stop_background()

    @work(exclusive=True, group="open")
    async def _await_project(self) -> None:
        try:
            workspace = await asyncio.wrap_future(self.opening)
            await asyncio.to_thread(workspace.warm)
            restored = await asyncio.to_thread(self.launch.first_session, workspace)
        except ContextError as error:
            self.app.exit(error)
            return
        self.recipe_name, self.recipe_selection = restored.recipe, restored.recipe_selection
        self.changed_ids = restored.changed
        if restored.session.picks or restored.session.selection.prompt:
            self.history.remember(replace(restored.session.selection, picks=(), prompt=None))
            self.view.tab = "text"
        self.begin(restored.session)
        if restored.message:
            self.notify(plain(restored.message), markup=False)

    def show_panel(self, panel: str) -> None:
        """Move the focus to a panel, which a narrow or zoomed screen shows alone."""
        target = {"context": self.context_tree, "payload": self.blocks, "view": self.view.front}[panel]
        self._open_panel(panel)
        target.focus()

    def _open_panel(self, panel: str) -> None:
        self.query_one("#panel-tabs", TabLine).open = panel
        self.query_one(KeyBar).panel = panel
        for other in PANELS:
            self.query_one(f"#{other}").set_class(other == panel, "-open")
        self.query_one("#lists").set_class(panel != "view", "-open")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The footer and the open panel follow the focus."""
        for panel in PANELS:
            if event.widget in self.query(f"#{panel} *"):
                self._open_panel(panel)

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        """A panel was clicked."""
        self.show_panel(event.name)

    def watch_session(self, old: Session | None, new: Session | None) -> None:
        """The titles follow at once, the numbers when they are worked out."""
        super().watch_session(old, new)
        self.show_titles()

    def show_titles(self) -> None:
        """Say in the panels' titles how much there is and what is picked."""
        session, layout = self.session, self.figures.layout
        if session is None or not self.has_panels:
            return
        total = self.figures.totals.get("")
        context = ["1 Context", plural(len(session.workspace.references), "file")]
        if session.picks:
            context.append(f"{len(session.picks):,} picked")
        context.append("by tokens" if self.context_tree.by_tokens else "by path")
        if total is not None and not total.is_counted:
            context.append(f"counting {total.counted * 100 // max(1, total.files)} %")
        if self.problems:
            context.append(f"{plural(len(self.problems), 'problem')} ({key_for(self, 'problems')})")
        self.query_one("#context").border_title = " ── ".join(context).replace("[", "(")
        if layout is not None:
            blocks = sum(block.state != "dropped" for block in layout.blocks)
            self.query_one("#payload").border_title = f"2 Payload ── {plural(blocks, 'block')} ── {layout.tokens:,}"

    def watch_figures(self) -> None:
        """Titles, badges and Start follow the numbers."""
        session = self.session
        if session is None or not self.has_panels:
            return
        self.show_titles()
        self.context_tree.problems = self.failed | frozenset(
            each.path for each in session.workspace.notices if each.path and each.code != "secret"
        )
        self.context_tree.changed = self.changed_ids
        if self._seen is not session.workspace:
            self._seen = session.workspace
            self.context_tree.readers = agents_at_start(session.workspace)
            if self.context_tree.filtered is not None:
                self.filtering = self._filter(self.query_one(FilterInput).value, False)
        self._show_filter_count()
        self.refresh_view()

    def on_rows_moved(self, event: Rows.Moved) -> None:
        """Show what the cursor is on."""
        if event.rows is self.context_tree and self.context_tree.has_focus and self.view.tab == "start":
            self.view.tab = "text"
        if event.rows in (self.context_tree, self.blocks, self.view.sections):
            self.refresh_view()

    def on_view_tab_changed(self) -> None:
        """Lay the open tab out."""
        self.refresh_view()

    def on_page_resized(self) -> None:
        """Lines are wrapped anew."""
        self.refresh_view()

    @property
    def current_node(self) -> Node | None:
        """The node that the View is about."""
        if self.panel == "payload" and self.session is not None and self.blocks.current is not None:
            return self.session.workspace.find(self._document_of(self.blocks.current.id)) or self.context_tree.current
        return self.context_tree.current

    def _document_of(self, id_: str) -> str:
        """The document that a row of the payload is of."""
        pick = self.session.selection.beside(id_) if self.session is not None else None
        return pick.document if isinstance(pick, SnippetPick) else id_

    @property
    def current_query(self) -> QueryPick | None:
        """The query that the View is about."""
        row = self.blocks.current if self.panel == "payload" else None
        found = self.session.selection.beside(row.id) if row is not None and self.session is not None else None
        return found if isinstance(found, QueryPick) else None

    @work(exclusive=True, group="view")
    async def refresh_view(self) -> None:
        """Lay out what the open tab shows, once things are quiet."""
        await asyncio.sleep(_DEBOUNCE)
        session, node, tab = self.session, self.current_node, self.view.tab
        if session is None:
            return
        if tab == "start":
            rows = await asyncio.to_thread(_start, session)
            self.view.start.show(rows)
            return
        width = max(10, self.view.page.scrollable_content_region.width or self.view.size.width - 2)
        if tab == "sections":
            self.view.sections.show(node.reference if node else None)
            self.view.set_title(node.title if node else "", self.view.sections.summary)
        else:
            query = self.current_query
            if query is not None and tab != "output":
                laid = await asyncio.to_thread(answer_page, session, query, width)
            else:
                with stopping() as check:
                    laid = await asyncio.to_thread(lay_out, session, node, tab, width, self.is_rendered, check)
            self.view.show(laid, (tab, query or (node.id if node else None), self.is_rendered))
        row = self.view.sections.current_id if tab == "sections" else node.id if node else None
        hint = ""
        if row is not None and tab != "output":
            with stopping() as check:
                hint = await asyncio.to_thread(self._hint, session, row, check)
        self.view.set_hint(hint)

    def _hint(self, session: Session, id_: str, check: Check) -> str:
        """What space would do, in tokens."""
        try:
            if session.state(id_) == "all":
                return f"picked; {key_for(self, 'pick')} drops it"
            layout = self.figures.layout
            added = session.cost(id_, check)
        except ContextError as error:
            return error.message
        if layout is None:
            return ""
        after, limit = layout.wanted + added, session.budget.effective
        text = f"space adds {added:,}: {after:,}"
        if limit is None:
            return text
        return f"{text} / {limit:,}" + (f", {after - limit:,} over" if after > limit else f", {limit - after:,} left")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        if event.input.id == "filter":
            self.filtering = self._filter(event.value)

    @work(exclusive=True, group="filter")
    async def _filter(self, query: str, to_first: bool = True) -> None:
        await asyncio.sleep(_DEBOUNCE)
        session = self.session
        if session is None:
            return
        if not query.strip():
            self.context_tree.show_filtered(None)
        else:
            if self._searchable is None or self._searchable[0] is not session.workspace:
                self._searchable = (session.workspace, await asyncio.to_thread(searchable, session.workspace.tree))
            rows = await asyncio.to_thread(matches, self._searchable[1], query)
            self.context_tree.show_filtered(rows, to_first)
        self._show_filter_count()

    def _show_filter_count(self) -> None:
        panel = self.query_one("#context")
        rows, session = self.context_tree.filtered, self.session
        if rows is None or session is None:
            panel.border_subtitle = ""
            return
        shown_ids = {row.node.id.partition("#")[0] for row in rows}
        hidden = sum(pick.id not in shown_ids for pick in session.picks)
        text = f"{len(rows):,} of {len(session.workspace.references):,}"
        panel.border_subtitle = f"{text} · {hidden} picked hidden" if hidden else text

    def clear_filter(self) -> None:
        """Show the tree again."""
        box = self.query_one(FilterInput)
        box.remove_class("-open")
        with self.prevent(Input.Changed):
            box.value = ""
        self.context_tree.show_filtered(None)
        self._show_filter_count()
        self.context_tree.focus()


def _start(session: Session) -> list[StartRow]:
    counter = session.budget.counter
    starts = agent_starts(session.workspace, counter, session.budget.window)
    return start_rows(session, starts, largest(session.workspace, counter), _LOOKED_FOR)
