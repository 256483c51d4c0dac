"""The widgets of the View panel: tabs over one document, or over the payload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events, getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import match_key
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import fit
from ctxtui.tui.panels.view_pages import Laid
from ctxtui.tui.tree.cells import mark
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.tui.widgets.start_list import StartList
from ctxtui.tui.widgets.tab_line import TabLine, TitleLine
from ctxtui.tui.widgets.treemap import Treemap
from ctxtui.tui.work.parts import are_ready

TABS: Final = ("start", "map", "text", "reference", "sections", "output")
# The least height for the map below Start.
_WITH_MAP: Final = 32
# The rows of the map that Start leaves to it, and those of the line of tabs and of the hint.
_LEAST_MAP, _FRAME = 10, 2


class SectionList(Rows):
    """The parts of one document with tokens and keywords, to pick some of them."""

    session: reactive[Session | None] = reactive(None, repaint=False)

    reference: Reference | None = None
    _document: Document | None = None
    _sizes: Sequence[int] = ()
    # The cursor before the rows of this document were removed to be read again.
    _place = 0

    def watch_session(self) -> None:
        """Redraw the marks, or load the document from the new snapshot."""
        self.show(self.reference)

    def show(self, reference: Reference | None, is_ready: bool = False) -> None:
        """Show the parts of another or changed document. A slow one shows its parts only if it `is_ready`."""
        is_same = self.reference is not None and reference is not None and self.reference.id == reference.id
        self._place = (self.cursor if self._document else self._place) if is_same else 0
        self.reference, self._document = reference, None
        self.remark = "" if reference is not None else "a folder has no sections; its files have"
        if reference is not None and self.session is not None:
            reference = self.session.workspace.by_id.get(reference.id, reference)
            if not is_ready and not are_ready(self.session, reference):
                self.remark = "reading …"
                self.set_count(0)
                return
            try:
                self._document = self.session.workspace.document(reference)
                reader, counter = self.session.workspace.reader, self.session.budget.counter
                self._sizes = reader.part_sizes(self._document, counter)
            except ContextError:
                self._document = None
        self.set_count(len(self._document.parts) if self._document else 0, self._place)

    @property
    def current_id(self) -> str | None:
        if self._document is None or self.reference is None or not self._document.parts:
            return None
        return str(Target(self.reference.id, self._document.parts[self.cursor].slug))

    @property
    def summary(self) -> str:
        if self.session is None or self._document is None or self.reference is None:
            return ""
        pick = self.session.selection.find(self.reference.id)
        if pick is None:
            return "nothing picked"
        counter, reader = self.session.budget.counter, self.session.workspace.reader
        own = reader.part_tokens(self._document, counter)
        chosen = [size for size, is_taken in zip(own, pick.taken(self._document), strict=True) if is_taken]
        picked = f"{shown.number(sum(chosen), counter)} picked"
        return f"{picked}, rest outlined" if pick.outline else picked

    def mark_columns(self, _index: int) -> range:
        return range(1, 4)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        if self._document is None or self.session is None or self.reference is None:
            return [], []
        part = self._document.parts[index]
        mark = shown.MARKS[self.session.state(str(Target(self.reference.id, part.slug)))]
        claims = {match_key(each.name): each for each in self.reference.details.sections}
        claim = claims.get(match_key(part.name)) if part.level else None
        style = shown.MARK_STYLES[mark]
        left: list[Cell] = [(f"{mark} ", style), ("  " * max(0, part.level - 1), ""), (shown.line(part.name), "")]
        if claim and claim.keywords:
            left.append((f"  {shown.line(', '.join(claim.keywords))}", "dim"))
        declared = f"{claim.estimated_tokens:,} → " if claim and claim.estimated_tokens is not None else ""
        size = shown.number(self._sizes[index], self.session.budget.counter)
        return left, [(f" {declared}", "dim"), (f"{size:>7} ", "")]


class View(Vertical):
    session: reactive[Session | None] = reactive(None, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)
    tab: reactive[str] = reactive("start", init=False, repaint=False)

    start = getters.query_one("#start-list", StartList)
    map = getters.query_one("#map", Treemap)
    page = getters.query_one("#page", Page)
    sections = getters.query_one("#section-list", SectionList)

    class TabChanged(Message):
        """Another tab is open."""

    _hint = ""

    def compose(self) -> ComposeResult:
        yield TabLine(TABS, id="tabs")
        yield TitleLine(fit, id="view-title")
        with ContentSwitcher(initial="start-list", id="pages"):
            yield StartList(id="start-list")
            yield Page(id="page")
            yield SectionList(id="section-list").data_bind(View.session)
        yield Treemap(self._mark, by_folder=True, id="map")
        yield Static(id="hint")

    def _mark(self, id_: str) -> str:
        node = self.session.workspace.find(id_) if self.session is not None else None
        return shown.MARKS["none"] if node is None or self.session is None else mark(node, self.session, self.figures)

    @on(Rows.Moved, "#start-list")
    @on(events.Resize)
    def share(self) -> None:
        """Show the map in its tab, and in a high panel also below Start, which keeps at least half of the lines."""
        is_below = self.tab == "start" and self.size.height >= _WITH_MAP
        self.map.display = self.tab == "map" or is_below
        pages = self.query_one("#pages")
        pages.display = self.tab != "map"
        room = self.size.height - _FRAME
        needed = max(room // 2, min(self.start.virtual_size.height, room - _LEAST_MAP))
        pages.styles.height = needed if is_below else "1fr"
        self.set_class(self.tab in ("start", "map"), "-untitled")

    @property
    def front(self) -> Widget:
        return {"start": self.start, "sections": self.sections, "map": self.map}.get(self.tab, self.page)

    def watch_tab(self, tab: str) -> None:
        had_focus = self.has_focus_within
        self.query_one(TabLine).open = tab
        if tab != "map":
            self.query_one(ContentSwitcher).current = self.front.id
        self.share()
        if had_focus:
            self.front.focus()
        self.set_title("", "")
        self.post_message(self.TabChanged())

    def step_tab(self, offset: int) -> None:
        self.tab = TABS[(TABS.index(self.tab) + offset) % len(TABS)]

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self.tab = event.name

    def set_title(self, title: str, remark: str) -> None:
        line = self.query_one(TitleLine)
        line.left, line.right = title, remark

    def show(self, laid: Laid, key: object) -> None:
        """Show a page at its line to scroll to. Without one, the scroll offset stays while the key is the same."""
        self.set_title(laid.title, laid.remark)
        self.page.show(laid.lines, key, laid.at)

    def set_hint(self, text: str) -> None:
        if text != self._hint:
            self._hint = text
            self.query_one("#hint", Static).update(Content(f" {shown.line(text)}"), layout=False)
