"""The View panel: tabs over one document, or over the payload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import fit
from ctxtui.tui.view_pages import Laid
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.section_list import SectionList
from ctxtui.tui.widgets.start_list import StartList
from ctxtui.tui.widgets.tab_line import TabLine
from ctxtui.tui.widgets.title_line import TitleLine

TABS: Final = ("start", "text", "reference", "sections", "output")


class View(Vertical):
    """Shows pages already laid out, and the two lists."""

    session: reactive[Session | None] = reactive(None, repaint=False)
    tab: reactive[str] = reactive("start", init=False, repaint=False)

    @dataclass
    class TabChanged(Message):
        """Another tab was opened."""

        tab: str

    _hint = ""

    def compose(self) -> ComposeResult:
        """Tabs, title, the open tab, and a line about the row under the cursor."""
        yield TabLine(TABS, id="tabs")
        yield TitleLine(fit, id="view-title")
        with ContentSwitcher(initial="start-list", id="pages"):
            yield StartList(id="start-list")
            yield Page(id="page")
            yield SectionList(id="section-list").data_bind(View.session)
        yield Static(id="hint")

    @property
    def start(self) -> StartList:
        """The Start list."""
        return self.query_one("#start-list", StartList)

    @property
    def page(self) -> Page:
        """The text, reference and output."""
        return self.query_one("#page", Page)

    @property
    def sections(self) -> SectionList:
        """The sections."""
        return self.query_one("#section-list", SectionList)

    @property
    def front(self) -> Widget:
        """The widget of the open tab."""
        return {"start": self.start, "sections": self.sections}.get(self.tab, self.page)

    def watch_tab(self, tab: str) -> None:
        """Show the widget of a tab; the focus stays in the panel."""
        had_focus = self.has_focus_within
        self.query_one(TabLine).open = tab
        self.query_one(ContentSwitcher).current = self.front.id
        if had_focus:
            self.front.focus()
        self.set_title("", "")
        self.post_message(self.TabChanged(tab))

    def step_tab(self, offset: int) -> None:
        """Go to a neighboring tab."""
        self.tab = TABS[(TABS.index(self.tab) + offset) % len(TABS)]

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        """Open the tab that the user clicked."""
        event.stop()
        self.tab = event.name

    def set_title(self, title: str, remark: str) -> None:
        """The line above the page."""
        line = self.query_one(TitleLine)
        line.left, line.right = title, remark

    def show(self, laid: Laid, key: object) -> None:
        """Show a page; the scroll offset stays while the key is the same."""
        self.set_title(laid.title, laid.remark)
        self.page.show(laid.lines, key, laid.at)

    def set_hint(self, text: str) -> None:
        """The line below the page."""
        if text != self._hint:
            self._hint = text
            self.query_one("#hint", Static).update(Content(f" {shown.line(text)}"), layout=False)
