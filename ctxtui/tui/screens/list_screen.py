"""The base of screens with rows: title, tabs, filter, rows, a detail of the current row, keys, and picks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerError

from ctxtui.core.base.errors import ContextError
from ctxtui.tui import shown
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.rows import Cell, Drawn, Item, ItemRows, Rows
from ctxtui.tui.widgets.tab_line import TabLine, TitleLine

if TYPE_CHECKING:
    from ctxtui.tui.desk import Desk

Result = TypeVar("Result")


class ListScreen(Screen[Result | None], Generic[Item, Result]):
    """A screen of rows. Returns the destination of a row, or None if the user leaves. Subclasses define the rows."""

    NAME: ClassVar[str]
    AUTO_FOCUS: ClassVar[str] = "#rows"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-medium"), (32, "-high")]  # noqa: RUF012
    TABS: ClassVar[tuple[str, ...]] = ()
    PLACEHOLDER: ClassVar[str] = "words to find"
    field = "words"
    """The filter's name in the table of keys. The footer shows these keys while the filter has the focus."""

    @dataclass
    class HelpWanted(Message):
        """The user asked for the keys of a screen."""

        screen: str

    def __init__(self, typed: str = "") -> None:
        super().__init__()
        self.typed = typed
        self.tab = self.TABS[0] if self.TABS else ""
        self.all_rows: Sequence[Item] = ()
        # The action of escape before it leaves the screen. Returns whether there was anything to do.
        self.step_back: Callable[[], bool] = bool
        self._trouble = ""
        # The worker that searches for the words typed last, on screens that search outside their rows.
        self.finding: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title")
        if self.TABS:
            yield TabLine(self.TABS, id="list-tabs")
        yield FilterInput(self.typed, placeholder=self.PLACEHOLDER, id="query")
        yield from self.body()
        yield Static(id="detail")
        yield KeyBar(self.NAME)

    def body(self) -> ComposeResult:
        yield ItemRows(self.drawn, self.mark_columns, id="rows")

    def drawn(self, item: Item) -> Drawn:
        raise NotImplementedError

    def mark_columns(self, _item: Item) -> range:
        return range(0)

    def destination(self, _item: Item) -> Result | None:
        """The result of the screen if the user chooses a row, None for a row that leads nowhere."""
        return None

    def detail(self, item: Item) -> str | Content:
        raise NotImplementedError

    def nothing(self) -> str:
        """The text to show if there are no rows."""
        return "nothing matches"

    @property
    def heading(self) -> str:
        return self.NAME.title()

    @property
    def count(self) -> str:
        kept, every = map(self.rows.counted, (self.rows.items, self.all_rows))
        return f"{kept:,} of {every:,}" if every else ""

    @property
    def rows(self) -> ItemRows[Item]:
        return self.query_one("#rows", ItemRows)

    @property
    def has_rows(self) -> bool:
        """Whether the list exists. The user may have left the screen while a worker was busy."""
        return bool(self.query("#rows"))

    def show(self, items: Sequence[Item], cursor: int | None = None) -> None:
        """Show other rows and forget an error. Without `cursor`, the cursor stays."""
        self.all_rows, self._trouble = items, ""
        self.show_kept(cursor)

    def kept(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items that the list gets. A list of rows that fold filters them itself."""
        return items

    def show_kept(self, cursor: int | None = None) -> None:
        if self.has_rows:
            self.rows.show(self.kept(self.all_rows), cursor, self.typed)
            self.tell_row()

    def fail(self, error: ContextError) -> None:
        """Show an error in place of details, until other rows are shown."""
        self._trouble = shown.sentence(error)
        self.tell_row()

    def tell_row(self) -> None:
        """Write the title again, and an error, the detail of the current row, or why there are no rows."""
        if not self.has_rows:
            return
        title, item = self.query_one(TitleLine), self.rows.current
        title.left, title.right = self.heading, self.count
        self.tell(self._trouble or (self.nothing() if item is None else self.detail(item)))

    def tell(self, text: str | Content) -> None:
        """Show a text below the rows, or a plain text in place of missing rows."""
        if self.has_rows:
            rows = self.rows
            rows.remark = "" if rows.count or not isinstance(text, str) else text
            text = "" if rows.remark and rows.display else text
        for static in self.query("#detail").results(Static):
            static.update(shown.content(text) if isinstance(text, str) else text, layout=False)

    def on_descendant_focus(self) -> None:
        self.query_one(KeyBar).field = self.field if isinstance(self.focused, FilterInput) else ""

    def on_rows_moved(self) -> None:
        self.tell_row()

    def find(self) -> None:
        """Show the rows for the words typed. Screens that search outside their rows set `finding`."""
        self.show_kept(0)

    def action_filter(self) -> None:
        self.query_one(FilterInput).focus()

    @on(Input.Changed, "#query")
    def _filter_typed(self, event: Input.Changed) -> None:
        event.stop()
        self.typed = event.value
        self.find()

    @on(FilterInput.Command)
    async def _filter_key(self, event: FilterInput.Command) -> None:
        await event.act(self.rows, self._matched, pick=self.field_pick, keep=self.field_keep, clear=self.field_clear)

    async def _matched(self) -> None:
        if self.finding is not None:
            with suppress(WorkerError):
                await self.finding.wait()

    def field_keep(self) -> None:
        """Enter in the filter: go to the rows."""
        self.rows.focus()

    field_pick = field_keep

    def field_clear(self) -> None:
        self.query_one(FilterInput).value = ""
        self.rows.focus()

    def action_next_tab(self) -> None:
        self.step_tab(1)

    def action_previous_tab(self) -> None:
        self.step_tab(-1)

    def step_tab(self, step: int) -> None:
        self.open_tab(self.TABS[(self.TABS.index(self.tab) + step) % len(self.TABS)])

    def open_tab(self, name: str) -> None:
        self.tab = self.query_one(TabLine).open = name
        self.show_tab()

    def show_tab(self) -> object:
        raise NotImplementedError

    @on(TabLine.Chosen)
    def _tab_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self.open_tab(event.name)

    @on(Rows.Entered)
    def _entered(self) -> None:
        # Textual calls the decorated methods of every base class, so subclasses override `action_enter` instead.
        self.action_enter()

    def action_enter(self) -> None:
        item = self.rows.current
        place = None if item is None else self.destination(item)
        if place is not None:
            self.dismiss(place)

    def action_escape(self) -> None:
        """Clear the filter, else call `step_back`, and if that had nothing to do, leave the screen."""
        if self.typed:
            self.query_one(FilterInput).value = ""
        elif not self.step_back():
            self.dismiss(None)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        self.post_message(self.HelpWanted(self.NAME))

    def action_palette(self) -> None:
        self.app.action_command_palette()


class PickScreen(ListScreen[Item, str]):
    """A list of things that can be picked. A row's destination is the id to pick or go to."""

    field = "filter"

    def __init__(self, desk: Desk, typed: str = "") -> None:
        super().__init__(typed)
        self.desk = desk

    def mark_cell(self, id_: str) -> Cell:
        mark = shown.mark(self.desk.session, id_)
        return f"{mark} ", shown.MARK_STYLES[mark]

    def mark_columns(self, _item: Item) -> range:
        return range(1, 4)

    @on(Rows.MarkClicked)
    def _mark_clicked(self) -> None:
        # Textual calls the decorated methods of every base class: a decorated `action_pick` cannot be overridden.
        self.action_pick()

    def action_pick(self) -> None:
        item = self.rows.current
        id_ = None if item is None else self.destination(item)
        if id_ is not None:
            self.desk.attempt(lambda session: session.toggle(id_))
            self.rows.refresh()

    def field_pick(self) -> None:
        self.action_pick()
        self.rows.action_down()
