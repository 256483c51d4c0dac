"""The main screen: three panels around a desk, and the keys that work in all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Final

from textual import getters, on
from textual.app import App, ComposeResult
from textual.containers import Container
from textual.reactive import reactive
from textual.screen import Screen

from ctxtui.core.base.errors import ContextError
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session
from ctxtui.tui.actions import dialogs, open_screens, output
from ctxtui.tui.actions.editor import open_editor
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
from ctxtui.tui.widgets.picture import Picture
from ctxtui.tui.widgets.rows import Rows
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.tui.work.background import FRAME, FirstFrame
from ctxtui.workspace.workspace import Workspace

Dialog = Callable[[Desk, Session, App[object]], Awaitable[None]]
Visit = Callable[[Desk, Session, App[object]], Awaitable[str | None]]


# Commands that arrange the screen, while the project is opening too.
_AT_ONCE: Final = frozenset(
    (
        *("panel_1", "panel_2", "panel_3", "narrower", "wider", "zoom", "escape", "filter", "sort", "enter"),
        *("start", "map", "sections", "rendered", "previous_tab", "next_tab", "palette", "help", "quit"),
    )
)


class MainScreen(Screen[None]):
    """Shows the session that the desk holds."""

    CSS_PATH = "main.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MEDIUM, "-medium"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (10, "-high")]  # noqa: RUF012
    BINDINGS = bindings("main")
    NAME = "main"
    # Not the hidden filter: keys typed while the app starts must not go there.
    AUTO_FOCUS = "#tree"
    # The desk's values for bound widgets, which draw themselves again.
    session: reactive[Session | None] = reactive(None, init=False, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)
    states: reactive[frozenset[str]] = reactive(frozenset, repaint=False)

    columns = getters.query_one("#panels", Columns)
    context_panel = getters.query_one("#context", ContextPanel)
    payload_panel = getters.query_one("#payload", PayloadPanel)
    view = getters.query_one("#view", ViewPanel)
    tabs = getters.query_one("#panel-tabs", TabLine)
    context_tree = getters.query_one("#tree", ContextTree)
    blocks = getters.query_one("#blocks", PayloadList)

    def __init__(self, opening: Future[Workspace], launch: Launch) -> None:
        super().__init__()
        self.desk = Desk(self, launch)
        self._opening, self._list = opening, "context"
        self.searches, self._first_frame = open_screens.Searches(launch.engines), FirstFrame()

    def compose(self) -> ComposeResult:
        yield Meter(id="meter")
        yield TabLine(PANELS, numbered=True, id="panel-tabs")
        with Columns(id="panels"):
            with Container(id="lists"):
                yield ContextPanel(self.desk).data_bind(MainScreen.session, MainScreen.figures)
                yield PayloadPanel(self.desk).data_bind(MainScreen.session, MainScreen.figures)
            yield ViewPanel(self.desk, self.about).data_bind(MainScreen.session, MainScreen.figures)
        yield KeyBar("main", id="keys").data_bind(MainScreen.states)

    def on_mount(self) -> None:
        self.query_one(KeyBar).is_piped = self.desk.launch.is_piped
        self.context_tree.remark = self.view.start.remark = "reading the project …"
        self.watch(self.view, "tab", self._update_states, init=False)
        self.run_worker(self._open_project(), group="open")

    async def _open_project(self) -> None:
        """Show the project once it is open, or end the app with the error."""
        try:
            session = await self.desk.open(asyncio.wrap_future(self._opening))
        except ContextError as error:
            self.app.exit(error)
            return
        if not self.query("#tree"):
            # The app ends while the project opens.
            return
        self.context_tree.remark = "" if session.workspace.references else "no text files here"
        self.set_timer(FRAME, self._first_frame.drawn)
        if not session.selection.is_empty:
            self.view.tab = "text"
        if self.desk.launch.is_audit:
            self.visit(partial(open_screens.audit, leave=self.quit))

    def on_unmount(self) -> None:
        self.desk.close()
        self.searches.close()

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start background work after the first frame. It cancels earlier work of the same group."""
        self.run_worker(self._first_frame.then(work), group=group, exclusive=True)

    def show(self) -> None:
        """Pass the values of the desk on to the widgets, and open or close the Payload panel."""
        self.session, self.figures = self.desk.session, self.desk.figures
        self._update_states()
        for screen in self.app.screen_stack:
            for meter in screen.query(Meter):
                meter.show(self.desk)
        if self._has_picks != self.payload_panel.has_picks:
            # The row and the meter answer first: opening a panel lays out the screen.
            self.call_after_refresh(self._show_payload)

    @property
    def _has_picks(self) -> bool:
        return self.session is not None and not self.session.selection.is_empty

    def _show_payload(self) -> None:
        """Show the Payload panel once something is picked. Until then names and the map have its room."""
        if self._has_picks == self.payload_panel.has_picks:
            return
        self.payload_panel.set_class(not self._has_picks, "-empty")
        self.columns.share()
        if not self._has_picks and self.panel == "payload":
            self.show_panel("context")

    @property
    def panel(self) -> str:
        """The panel that has the focus, or had it last."""
        return self.tabs.open

    def show_panel(self, panel: str) -> None:
        """Focus a panel. A narrow or zoomed screen shows only this panel."""
        if panel == "payload":
            if not self._has_picks:
                self.desk.tell(f"the payload is empty: {key_for(self, 'pick')} picks a row")
                return
            self._show_payload()
        self._open_panel(panel)
        # At once: a key typed right after must not go to the previous panel.
        self.set_focus({"context": self.context_tree, "payload": self.blocks, "view": self.view.front}[panel])

    def _open_panel(self, panel: str) -> None:
        """Take a panel as the open one, without the focus. A list becomes the one that View follows."""
        self.tabs.open = panel
        self._show_keys()
        self.columns.open(panel)
        if panel not in ("view", self._list):
            self._list = panel
            self.view.refresh_view()

    def on_descendant_focus(self) -> None:
        """The footer and the open panel follow the focus."""
        for node in self.focused.ancestors if self.focused is not None else ():
            if node.id in PANELS:
                self._open_panel(node.id)
        self._show_keys()

    def _show_keys(self) -> None:
        parts = {"map": self.view.map.has_focus, "start": self.view.start.has_focus}
        keys = self.query_one(KeyBar)
        keys.panel = next((part for part, has_focus in parts.items() if has_focus), self.panel)
        keys.field = "filter" if isinstance(self.focused, FilterInput) else ""

    @on(Meter.Chosen)
    def _go_to_block(self, event: Meter.Chosen) -> None:
        self.blocks.go_to(event.id)
        self.show_panel("payload")

    def _update_states(self) -> None:
        self.states = states(self.session, self.figures) | ({"text"} if self.view.tab == "text" else set())

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        self.show_panel(event.name)

    def about(self) -> About:
        """The subject of View: the row of the list focused last, or of the tree if that list has none."""
        about = self.payload_panel.about if self._list == "payload" else About()
        return about if about.node is not None else about._replace(node=self.context_tree.current)

    def go_to(self, id_: str) -> None:
        """Show a node in the tree and its text in View. An unknown id does nothing."""
        node = self.desk.now.workspace.find(id_)
        if node is not None:
            self.context_panel.clear_filter()
            self.context_tree.reveal(node)
            self.desk.count_large_file(node)
            self.view.tab = "text"
            self.show_panel("context")

    @on(Picture.Entered)
    def _go_to_tile(self) -> None:
        self.go_to(self.view.map.target)

    @on(ViewPanel.Wanted)
    def _open_from_start(self, event: ViewPanel.Wanted) -> None:
        row = event.row
        if row.act == "recipe":
            self.ask(partial(output.open_recipe, row.words))
        elif row.act == "map":
            self.show_tab("map")
        else:
            self.visit(partial(open_screens.audit, view="starts" if row.act == "agents" else ""))

    def on_rows_moved(self, event: Rows.Moved) -> None:
        self.desk.findings.user_active()
        # Sorting moves the row under the cursor, not the cursor to another row.
        is_new = event.rows is self.context_tree and self.context_panel.record_row()
        if is_new and self.context_panel.has_focus_within and self.view.tab == "start":
            self.view.tab = "text"
        if event.rows in (self.context_tree, self.blocks, self.view.sections):
            self.view.refresh_view()

    @on(Rows.Entered, "#tree")
    def _read(self) -> None:
        self.desk.count_large_file(self.context_tree.current)
        self.view.tab = "text"
        self.show_panel("view")

    @on(Rows.Entered, "#blocks")
    def _read_block(self) -> None:
        """Show the block in the output, and its document in the tree."""
        row = self.payload_panel.row
        node = self.desk.now.workspace.find(row) if row else None
        if node is not None:
            self.context_tree.reveal(node)
        self.view.tab = "output"
        self.view.refresh_view()
        if not self.view.display:
            self.show_panel("view")

    @on(Page.Entered)
    def _follow(self) -> None:
        if self.view.tab == "reference":
            self.action_do("links")

    def ask(self, dialog: Dialog) -> None:
        """Run a dialog in the background, in place of an earlier one. Its errors are shown."""
        desk = self.desk
        self.start("dialog", lambda: desk.complaining(dialog(desk, desk.now, self.app)))

    def visit(self, open_screen: Visit) -> None:
        """Open a screen or dialog in the background, and go to the id that it returns, if any."""

        async def go(desk: Desk, session: Session, app: App[object]) -> None:
            if (id_ := await open_screen(desk, session, app)) is not None:
                self.go_to(id_)

        self.ask(go)

    def action_do(self, command: str) -> None:
        """Run a command of `ACTIONS`. While the project opens, most do nothing."""
        if self.session is not None or command in _AT_ONCE:
            ACTIONS[command](self)

    def work_on_scope(self, work: Callable[[Desk], Awaitable[None]]) -> None:
        """Begin work of the desk that reads the project again, in place of earlier such work."""
        self.start("scope", partial(work, self.desk))

    def enter(self) -> None:
        if isinstance(self.focused, Rows | Page):
            self.focused.action_enter()

    def filter(self) -> None:
        origin = partial(self.show_panel, self.tabs.open)
        self.show_panel("context")
        self.context_panel.open_filter(origin)

    def show_tab(self, tab: str) -> None:
        self.view.tab = tab
        self.show_panel("view")

    def show_sections(self) -> None:
        self.view.show_sections()
        self.show_panel("view")

    async def use_format(self, which: dialogs.AnyFormat) -> None:
        dialogs.use_first(self.desk, self.app, iter((which,)))

    def edit(self) -> None:
        """Open the file of View's subject in the user's editor, at the line of a section."""
        node = self.about().node
        place = (node.reference.path, node.part.line + 1 if node.part else 1) if node and node.reference else None
        open_editor(self.desk, self.app, place)
        self.refresh()

    def leave(self) -> None:
        """Close the filter, else end the zoom, else go from View to the list. Escape never quits."""
        if self.context_panel.is_filtering:
            self.context_panel.clear_filter()
        elif self.has_class("-zoom"):
            self.columns.zoom()
        elif self.tabs.open == "view":
            self.show_panel(self._list)

    def step(self, step: Callable[[Desk], None]) -> None:
        """Undo or redo, as `step` does. Messages about the last change are removed."""
        self.app.clear_notifications()
        step(self.desk)

    def quit(self) -> None:
        self.app.exit(Outcome("quit", self.session))


ACTIONS: Final[Mapping[str, Callable[[MainScreen], object]]] = {
    "budget": lambda screen: screen.ask(dialogs.set_budget),
    "model": lambda screen: screen.ask(dialogs.choose_model),
    "measure": lambda screen: screen.ask(dialogs.measure_payload),
    "prompt": lambda screen: screen.ask(dialogs.write_prompt),
    "git": lambda screen: screen.ask(dialogs.pick_from_git),
    "base": lambda screen: screen.ask(partial(dialogs.choose_base, then=screen.context_panel.show_since)),
    "export": lambda screen: screen.ask(output.export),
    "copy": lambda screen: screen.ask(output.copy),
    "run": lambda screen: screen.ask(output.run),
    "save": lambda screen: screen.ask(output.save_as_recipe),
    "open": lambda screen: screen.ask(output.choose_recipe),
    "audit": lambda screen: screen.visit(open_screens.audit),
    "problems": lambda screen: screen.visit(partial(open_screens.audit, group="problems with files")),
    "detect": lambda screen: screen.visit(open_screens.detect),
    "entries": lambda screen: screen.visit(open_screens.entries),
    "search": lambda screen: screen.visit(partial(screen.searches.open, which="search")),
    "suggest": lambda screen: screen.visit(partial(screen.searches.open, which="task")),
    "links": lambda screen: screen.visit(partial(open_screens.follow, node=screen.about().node)),
    "editor": MainScreen.edit,
    "undo": lambda screen: screen.step(Desk.undo),
    "redo": lambda screen: screen.step(Desk.redo),
    "clear": lambda screen: screen.desk.clear(),
    "fit": lambda screen: dialogs.switch_fit(screen.desk, screen.app),
    "format": lambda screen: dialogs.next_format(screen.desk, screen.app),
    "project_tree": lambda screen: dialogs.next_tree(screen.desk, screen.app),
    "reload": lambda screen: screen.work_on_scope(Desk.reload),
    "ignored": lambda screen: screen.work_on_scope(Desk.switch_ignored),
    "home_files": lambda screen: screen.work_on_scope(Desk.switch_home),
    "pick_shown": lambda screen: screen.context_panel.pick_shown(),
    "count_large": lambda screen: screen.context_panel.count_large(),
    "next_match": lambda screen: screen.context_panel.step_match(1),
    "previous_match": lambda screen: screen.context_panel.step_match(-1),
    "sort": lambda screen: screen.context_panel.sort(),
    "changed": lambda screen: screen.context_panel.next_changes(),
    "by_source": lambda screen: screen.context_panel.next_source(),
    "collapse_all": lambda screen: screen.context_tree.collapse_all(),
    "expand_all": lambda screen: screen.context_tree.expand_all(),
    "filter": MainScreen.filter,
    "enter": MainScreen.enter,
    "start": lambda screen: screen.show_tab("start"),
    "map": lambda screen: screen.show_tab("map"),
    "sections": MainScreen.show_sections,
    "rendered": lambda screen: screen.view.switch_rendered(),
    "previous_tab": lambda screen: screen.view.step_tab(-1),
    "next_tab": lambda screen: screen.view.step_tab(1),
    "panel_1": lambda screen: screen.show_panel("context"),
    "panel_2": lambda screen: screen.show_panel("payload"),
    "panel_3": lambda screen: screen.show_panel("view"),
    "narrower": lambda screen: screen.columns.widen(screen.panel, -STEP),
    "wider": lambda screen: screen.columns.widen(screen.panel, STEP),
    "zoom": lambda screen: screen.columns.zoom(),
    "escape": MainScreen.leave,
    "palette": lambda screen: screen.app.action_command_palette(),
    "help": lambda screen: screen.app.push_screen(Help("main")),
    "quit": MainScreen.quit,
}
"""The functions of the commands of the main screen, by id."""
