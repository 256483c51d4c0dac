"""A page of the manual, rendered."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from ctxtui.core.manual import TOPICS, page
from ctxtui.tui.bindings import bindings
from ctxtui.tui.view_pages import render_markdown
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.title_line import TitleLine

# Longer lines are hard to read.
_WIDEST = 100


class ManualPage(Screen[None]):
    """One page, scrolled with the movement keys; other keys open the next and the previous page."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("page")
    NAME: ClassVar[str] = "page"

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic

    def compose(self) -> ComposeResult:
        """Topic, text and keys."""
        yield TitleLine(id="title")
        yield Page(id="manual")
        yield KeyBar("page")

    @on(Page.Resized)
    @work(exclusive=True, group="manual")
    async def lay_out(self) -> None:
        """Render the page for the width of the screen."""
        title, topic = self.query_one(TitleLine), self._topic
        title.left, title.right = f"Help   {topic}", f"page {TOPICS.index(topic) + 1} of {len(TOPICS)}"
        width = min(_WIDEST, self.query_one(Page).scrollable_content_region.width)
        lines = await asyncio.to_thread(lambda: render_markdown(page(topic), max(1, width)))
        if self.query(Page):
            self.query_one(Page).show(lines, topic)

    def action_next_tab(self) -> None:
        """Go to the next page."""
        self._step(1)

    def action_previous_tab(self) -> None:
        """Go to the previous page."""
        self._step(-1)

    def _step(self, step: int) -> None:
        self._topic = TOPICS[(TOPICS.index(self._topic) + step) % len(TOPICS)]
        self.lay_out()

    def action_escape(self) -> None:
        """Go back to the list of pages."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Go back to the list of pages."""
        self.dismiss(None)
