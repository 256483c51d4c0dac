"""The main screen: three panels around a desk, and the keys that work in all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from decimal import Decimal
from functools import partial, partialmethod
from typing import ClassVar

from textual import getters, on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.reactive import reactive
from textual.screen import Screen

from ctxtui.core.base.errors import ContextError
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session
from ctxtui.tui.actions import dialogs as dialog_commands
from ctxtui.tui.actions import open_screens
from ctxtui.tui.actions import output as output_commands
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.commands import PANELS
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.launch import Launch, Outcome
from ctxtui.tui.panels.columns import MEDIUM, STEP, WIDE, Columns
from ctxtui.tui.panels.context import ContextPanel
from ctxtui.tui.panels.panel import About
from ctxtui.tui.panels.payload import PayloadPanel
from ctxtui.tui.panels.view import ViewPanel
from ctxtui.tui.screens.help import Help
from ctxtui.tui.widgets.context_tree import ContextTree
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar, states
from ctxtui.tui.widgets.meter import Meter
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.payload_list import PayloadList
from ctxtui.tui.widgets.rows import Rows
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.tui.widgets.view import View
from ctxtui.tui.work.debounce import FRAME, FirstFrame
from ctxtui.workspace.workspace import Workspace

Dialog = Callable[[Desk, Session, App[object]], Awaitable[None]]
Visit = Callable[[Desk, Session, App[object]], Awaitable[str | None]]


class MainScreen(Screen[None]):
    """Shows the session that the desk holds."""

    CSS_PATH = "main.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MEDIUM, "-medium"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (10, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = bindings("main")
    NAME: ClassVar[str] = "main"
    # Not the hidden filter: keys typed while the app starts must not go there.
    AUTO_FOCUS: ClassVar[str] = "#tree"
    # The desk's values for bound widgets, which draw themselves again.
    session: reactive[Session | None] = reactive(None, init=False, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)
    recipe: reactive[str] = reactive("", repaint=False)
    is_behind: reactive[bool] = reactive(False, repaint=False)
    price: reactive[Decimal | None] = reactive(None, repaint=False)
    states: reactive[frozenset[str]] = reactive(frozenset, repaint=False)

    columns = getters.query_one("#panels", Columns)
    context_panel = getters.query_one("#context", ContextPanel)
    payload_panel = getters.query_one("#payload", PayloadPanel)
    view_panel = getters.query_one("#view", ViewPanel)
    tabs = getters.query_one("#panel-tabs", TabLine)
    context_tree = getters.query_one("#tree", ContextTree)
    blocks = getters.query_one("#blocks", PayloadList)
    view = getters.query_one("#view-body", View)

    def __init__(self, opening: Future[Workspace], launch: Launch) -> None:
        super().__init__()
        self.desk = Desk(self, launch)
        self._opening, self._list = opening, "context"
        self._searches, self._first_frame = open_screens.Searches(launch.engines), FirstFrame()

    def compose(self) -> ComposeResult:
        yield Meter(id="meter").data_bind(
            MainScreen.session, MainScreen.figures, MainScreen.recipe, MainScreen.is_behind, MainScreen.price
        )
        yield TabLine(PANELS, numbered=True, id="panel-tabs")
        with Columns(id="panels"):
            with Container(id="lists"):
                yield ContextPanel(self.desk).data_bind(MainScreen.session, MainScreen.figures)
                yield PayloadPanel(self.desk).data_bind(MainScreen.session, MainScreen.figures)
            yield ViewPanel(self.desk, self._about).data_bind(MainScreen.session, MainScreen.figures)
        yield KeyBar("main", id="keys").data_bind(MainScreen.states)

    def on_mount(self) -> None:
        self.query_one(KeyBar).is_piped = self.desk.launch.is_piped
        self.context_tree.remark = self.view.start.remark = "reading the project …"
        self.run_worker(self._open(), group="open")

    async def _open(self) -> None:
        try:
            session = await self.desk.open(asyncio.wrap_future(self._opening))
        except ContextError as error:
            self.app.exit(error)
            return
        self.context_tree.remark = "" if session.workspace.references else "no text files here"
        self.set_timer(FRAME, self._first_frame.drawn)
        if not session.selection.is_empty:
            self.view.tab = "text"
        if self.desk.launch.is_audit:
            self._visit(partial(open_screens.audit, leave=self.action_quit))

    def on_unmount(self) -> None:
        self.desk.close()
        self._searches.close()

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start background work after the first frame. It cancels earlier work of the same group."""
        self.run_worker(self._first_frame.then(work), group=group, exclusive=True)

    def show(self) -> None:
        self.session, self.figures = self.desk.session, self.desk.figures
        self.recipe, self.is_behind, self.price = self.desk.recipe, self.desk.is_behind, self.desk.price
        self.states = states(self.session, self.figures)
        self._show_payload()

    def _show_payload(self) -> None:
        """Show the Payload panel once something is picked. Until then names and the map have its room."""
        is_empty = self.session is None or self.session.selection.is_empty
        if is_empty == self.has_class("-empty"):
            return
        self.set_class(is_empty, "-empty")
        self.columns.share()
        if is_empty and self.panel == "payload":
            self.show_panel("context")

    @property
    def panel(self) -> str:
        """The panel that has the focus, or had it last."""
        return self.tabs.open

    def show_panel(self, panel: str) -> None:
        """Focus a panel. A narrow or zoomed screen shows only this panel."""
        if panel == "payload" and self.has_class("-empty"):
            self.desk.tell(f"the payload is empty: {key_for(self, 'pick')} picks a row")
            return
        self._open_panel(panel)
        # At once: a key typed right after must not go to the previous panel.
        self.set_focus({"context": self.context_tree, "payload": self.blocks, "view": self.view.front}[panel])

    def _open_panel(self, panel: str) -> None:
        self.tabs.open = panel
        self.query_one(KeyBar).panel = panel
        self.columns.open(panel)
        if panel not in ("view", self._list):
            self._list = panel
            self.view_panel.refresh_view()

    def on_descendant_focus(self) -> None:
        """The footer and the open panel follow the focus."""
        for node in self.focused.ancestors if self.focused is not None else ():
            if node.id in PANELS:
                self._open_panel(node.id)
        if self.view.map.has_focus:
            self.query_one(KeyBar).panel = "map"
        elif isinstance(self.focused, FilterInput):
            self.query_one(KeyBar).panel = "filter"

    @on(Meter.Chosen)
    def _go_to_block(self, event: Meter.Chosen) -> None:
        self.blocks.go_to(event.id)
        self.show_panel("payload")

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        self.show_panel(event.name)

    def _about(self) -> About:
        """The subject of View: the row of the list focused last, or of the tree if that list has none."""
        about = self.payload_panel.about if self._list == "payload" else About()
        return about if about.node is not None else about._replace(node=self.context_tree.current)

    def go_to(self, id_: str) -> None:
        node = self.session.workspace.find(id_) if self.session is not None else None
        if node is not None:
            self.context_panel.clear_filter()
            self.context_tree.reveal(node)
            self.desk.count_large(node)
            self.view.tab = "text"
            self.show_panel("context")

    @on(ViewPanel.Wanted)
    def _open_from_start(self, event: ViewPanel.Wanted) -> None:
        row = event.row
        if row.file:
            self.go_to(row.file)
        elif row.recipe:
            self._do(partial(output_commands.open_named, row.recipe))
        elif row.command == "map":
            self.action_map()
        else:
            self.action_audit()

    def on_rows_moved(self, event: Rows.Moved) -> None:
        self.desk.findings.user_active()
        # Sorting moves the row under the cursor, not the cursor to another row.
        is_new = event.rows is self.context_tree and self.context_panel.has_moved()
        if is_new and self.context_tree.has_focus and self.view.tab == "start":
            self.view.tab = "text"
        if event.rows in (self.context_tree, self.blocks, self.view.sections):
            self.view_panel.refresh_view()

    @on(Rows.Entered, "#tree")
    def _read(self) -> None:
        self.desk.count_large(self.context_tree.current)
        self.view.tab = "text"
        self.show_panel("view")

    @on(Rows.Entered, "#blocks")
    def _read_block(self) -> None:
        row, session = self.payload_panel.row, self.session
        node = session.workspace.find(row) if row and session else None
        if node is not None:
            self.context_tree.reveal(node)
        self.view.tab = "output"
        self.view_panel.refresh_view()

    @on(Page.Entered)
    def _follow(self) -> None:
        if self.view.tab == "reference":
            self.action_links()

    def _do(self, dialog: Dialog) -> None:
        """Run a dialog on the session."""
        if self.session is not None:
            self.start("dialog", partial(dialog, self.desk, self.session, self.app))

    def _visit(self, visit: Visit) -> None:
        """Open another screen, and go to the id that it returns."""

        async def go(desk: Desk, session: Session, app: App[object]) -> None:
            if (found := await visit(desk, session, app)) is not None:
                self.go_to(found)

        self._do(go)

    action_budget = partialmethod(_do, dialog_commands.set_budget)
    action_model = partialmethod(_do, dialog_commands.choose_model)
    action_measure = partialmethod(_do, dialog_commands.measure_payload)
    action_prompt = partialmethod(_do, dialog_commands.write_prompt)
    action_export = partialmethod(_do, output_commands.export)
    action_copy = partialmethod(_do, output_commands.copy)
    action_run = partialmethod(_do, output_commands.run)
    action_save = partialmethod(_do, output_commands.save)
    action_open = partialmethod(_do, output_commands.open_)
    action_audit = partialmethod(_visit, open_screens.audit)
    action_detect = partialmethod(_visit, open_screens.detect)
    action_git = partialmethod(_do, dialog_commands.pick_from_git)
    action_entries = partialmethod(_visit, open_screens.entries)
    action_problems = partialmethod(_visit, open_screens.problems)

    def action_search(self) -> None:
        self._visit(self._searches.search)

    def action_suggest(self) -> None:
        self._visit(self._searches.suggest)

    def action_links(self) -> None:
        self._visit(partial(open_screens.follow, node=self._about().node))

    def action_editor(self) -> None:
        open_screens.edit(self.desk, self.app, self._about().node)
        self.refresh()

    def _with_desk(self, do: Callable[[Desk, App[object]], None]) -> None:
        do(self.desk, self.app)

    action_undo = partialmethod(_with_desk, lambda desk, _: desk.undo())
    action_redo = partialmethod(_with_desk, lambda desk, _: desk.redo())
    action_fit = partialmethod(_with_desk, dialog_commands.switch_fit)
    action_format = partialmethod(_with_desk, dialog_commands.next_format)
    action_project_tree = partialmethod(_with_desk, dialog_commands.next_tree)

    def _reload(self, work: Callable[[Desk], Awaitable[None]]) -> None:
        self.start("scope", partial(work, self.desk))

    action_reload = partialmethod(_reload, Desk.reload)
    action_ignored = partialmethod(_reload, Desk.switch_ignored)
    action_home_files = partialmethod(_reload, Desk.switch_home)

    def action_enter(self) -> None:
        """Read or choose the row, depending on the panel in focus."""
        if isinstance(self.focused, Rows | Page):
            self.focused.action_enter()

    def _with_context(self, do: Callable[[ContextPanel], None]) -> None:
        do(self.context_panel)

    action_pick_shown = partialmethod(_with_context, ContextPanel.pick_shown)
    action_count_large = partialmethod(_with_context, ContextPanel.count_large)
    action_next_match = partialmethod(_with_context, lambda panel: panel.step_match(1))
    action_previous_match = partialmethod(_with_context, lambda panel: panel.step_match(-1))
    action_sort = partialmethod(_with_context, ContextPanel.sort)
    action_changed = partialmethod(_with_context, ContextPanel.next_changes)
    action_by_source = partialmethod(_with_context, ContextPanel.next_source)
    action_collapse_all = partialmethod(_with_context, lambda panel: panel.context_tree.action_collapse_all())
    action_expand_all = partialmethod(_with_context, lambda panel: panel.context_tree.action_expand_all())

    def action_base(self) -> None:
        """Choose the base of changes, and show the changes."""
        self._do(partial(dialog_commands.choose_base, then=self.context_panel.show_since))

    def action_filter(self) -> None:
        self.show_panel("context")
        self.context_panel.open_filter()

    def action_start(self) -> None:
        self.view.tab = "start"
        self.show_panel("view")

    def action_map(self) -> None:
        self.view.tab = "map"
        self.show_panel("view")

    def action_sections(self) -> None:
        self.view_panel.show_sections()
        self.show_panel("view")

    def _with_view(self, do: Callable[[ViewPanel], None]) -> None:
        do(self.view_panel)

    action_rendered = partialmethod(_with_view, ViewPanel.switch_rendered)
    action_previous_tab = partialmethod(_with_view, lambda panel: panel.view.step_tab(-1))
    action_next_tab = partialmethod(_with_view, lambda panel: panel.view.step_tab(1))
    action_panel_1 = partialmethod(show_panel, "context")
    action_panel_2 = partialmethod(show_panel, "payload")
    action_panel_3 = partialmethod(show_panel, "view")

    def _widen(self, columns: int) -> None:
        self.columns.widen(self.panel, columns)

    action_narrower = partialmethod(_widen, -STEP)
    action_wider = partialmethod(_widen, STEP)

    def action_zoom(self) -> None:
        self.columns.zoom()

    def action_escape(self) -> None:
        """Leave the filter, or the zoom. Escape never quits."""
        if self.context_panel.is_filtering:
            self.context_panel.clear_filter()
        elif self.has_class("-zoom"):
            self.action_zoom()

    def action_palette(self) -> None:
        self.app.action_command_palette()

    def action_help(self) -> None:
        self.app.push_screen(Help("main"))

    def action_quit(self) -> None:
        self.app.exit(Outcome("quit", self.session))
