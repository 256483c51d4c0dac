"""The View panel: keeps the open tab in step with the session and the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.agents import Start
from ctxtui.core.cancel import Check, stopping
from ctxtui.core.errors import ContextError
from ctxtui.core.wording import byte_size, plural
from ctxtui.session.agent_start import agent_starts, largest, longer_starts
from ctxtui.session.pick_start import pick_start
from ctxtui.session.session import Session
from ctxtui.session.whole_starts import whole_starts
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.panels.panel import About, Panel
from ctxtui.tui.query_page import answer_page
from ctxtui.tui.view_texts import lay_out
from ctxtui.tui.widgets.rows import Rows
from ctxtui.tui.widgets.start_list import StartRow, start_rows
from ctxtui.tui.widgets.view import View
from ctxtui.tui.work.debounce import DEBOUNCE
from ctxtui.tui.work.measure import SOON

if TYPE_CHECKING:
    from ctxtui.audit.prices import Money

_LOOKED_FOR = "AGENTS.md, CLAUDE.md, rules, skills and the like"


class ViewPanel(Panel):
    """Lays out what `about` says to show."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("view")

    view = getters.query_one("#view-body", View)

    def __init__(self, desk: Desk, about: Callable[[], About]) -> None:
        super().__init__(desk, id="view")
        self.border_title = "3 View"
        self._about = about
        self._is_rendered = False

    def compose(self) -> ComposeResult:
        """Tabs and pages."""
        yield View(id="view-body").data_bind(ViewPanel.session)

    @property
    def row(self) -> str | None:
        """The section under the cursor of the Sections tab; otherwise what View shows."""
        if self.view.tab == "sections":
            return self.view.sections.current_id
        node = self._about().node
        return node.id if node else None

    def watch_figures(self) -> None:
        """Update the page with the figures."""
        if self.session is not None:
            self.refresh_view()

    def on_view_tab_changed(self) -> None:
        """Lay out the open tab."""
        self.refresh_view()

    def on_page_resized(self) -> None:
        """Wrap the lines again."""
        self.refresh_view()

    def show_sections(self) -> None:
        """Open the Sections tab."""
        node = self._about().node
        self.desk.count_large(node)
        # At once: a key typed right after this one must not act on a section of the previous document.
        self.view.sections.show(node.reference if node else None)
        self.view.tab = "sections"

    def switch_rendered(self) -> None:
        """Show text raw or rendered."""
        self._is_rendered = not self._is_rendered
        self.refresh_view()

    @on(Rows.Entered, "#section-list")
    @on(Rows.MarkClicked)
    def action_pick(self) -> None:
        """Pick or drop the row."""
        if self.view.tab == "start":
            self.view.start.action_enter()
        else:
            self._toggle(self.row)

    @on(Rows.Entered, "#start-list")
    def _pick_start(self, event: Rows.Entered) -> None:
        row = self.view.start.rows[event.index]
        if row.start is not None:
            self._pick_agent(row.start)
            return
        ids = row.ids

        def pick_ids(session: Session) -> Session:
            for id_ in ids:
                session = session.pick(id_)
            return session

        if ids:
            self.desk.attempt(pick_ids)
            self.desk.tell(f"picked {plural(len(ids), 'file')}; {key_for(self, 'undo')} drops them again")

    @work(exclusive=True, group="pick-start")
    async def _pick_agent(self, start: Start) -> None:
        session = self.session
        if session is None:
            return
        try:
            picked = await asyncio.to_thread(pick_start, session, start, self.desk.cwd)
        except ContextError as error:
            self.desk.complain(error)
            return
        # What the user changed meanwhile stays: a newer selection is not replaced.
        if self.session is session:
            self.desk.change(picked.session)
            self.desk.tell(f"{picked.told}; {key_for(self, 'undo')} drops it again")

    @work(exclusive=True, group="view")
    async def refresh_view(self) -> None:
        """Lay out the open tab once the user pauses."""
        await asyncio.sleep(DEBOUNCE)
        session, tab = self.session, self.view.tab
        if session is None:
            return
        if tab == "start":
            await self._show_start(session)
            return
        about = self._about()
        await self._show_page(session, tab, about)
        row = self.view.sections.current_id if tab == "sections" else about.node.id if about.node else None
        hint = ""
        if row is not None and tab != "output":
            with stopping() as check:
                hint = await asyncio.to_thread(self._hint, session, row, check)
        self.view.set_hint(hint)

    async def _show_start(self, session: Session) -> None:
        """List the starts; those that can be known better than by estimates once they are counted."""
        started = await asyncio.to_thread(_started, session, self.desk.cwd)
        estimated = await asyncio.to_thread(started.rows)
        if session.budget.counter.exact or not self.view.start.rows:
            self.view.start.show(estimated)
        if session.budget.counter.exact:
            return
        with stopping() as check:
            task = asyncio.ensure_future(asyncio.to_thread(started.known, check))
            try:
                await asyncio.wait({task}, timeout=SOON)
                if not task.done():
                    self.view.start.show(estimated)
                self.view.start.show(await task)
            finally:
                task.cancel()

    async def _show_page(self, session: Session, tab: str, about: About) -> None:
        node, query = about
        width = max(10, self.view.page.scrollable_content_region.width or self.view.size.width - 2)
        if tab == "sections":
            is_read = node is not None and node.reference is not None and not session.uncounted([node.reference])
            self.view.sections.show(node.reference if node and is_read else None)
            title = "" if node is None else node.reference.path if node.reference else node.title
            self.view.set_title(title, self.view.sections.summary)
            return
        if query is not None and tab != "output":
            laid = await asyncio.to_thread(answer_page, session, query, width)
        else:
            with stopping() as check:
                laid = await asyncio.to_thread(lay_out, session, node, tab, width, self._is_rendered, check)
        self.view.show(laid, (tab, query or (node.id if node else None), self._is_rendered))

    def _hint(self, session: Session, id_: str, check: Check) -> str:
        """The effect of `space`, in tokens."""
        node = session.workspace.find(id_)
        large = session.uncounted(node.documents()) if node is not None else []
        if large:
            size = byte_size(sum(each.stamp.size for each in large))
            counts, picks = key_for(self, "count_large"), key_for(self, "pick")
            return f"{counts} counts {size} of large data; {picks} picks and counts it"
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
        number = partial(shown.number, counter=session.budget.counter)
        text = f"space adds {number(added)}: {number(after)}"
        if limit is None:
            return text
        left = f"{number(limit - after)} left" if after <= limit else f"{number(after - limit)} over"
        return f"{text} / {limit:,}, {left}"


@dataclass(frozen=True, slots=True)
class _Started:
    """The starts of a session in a folder, as rows of the Start list."""

    session: Session
    cwd: str
    starts: tuple[Start, ...]
    longer: tuple[str, ...]

    def rows(self) -> list[StartRow]:
        """The rows, with estimates if the tokenizer is not public."""
        return self._rows(self.starts)

    def known(self, check: Check) -> list[StartRow]:
        """The rows with starts counted whole, as far as that is possible; an exception of `check` ends the work."""
        workspace, counter = self.session.workspace, self.session.budget.counter
        return self._rows(whole_starts(self.starts, workspace.text, counter, workspace.reader.ledger, check))

    def _rows(self, starts: Sequence[Start]) -> list[StartRow]:
        workspace, budget = self.session.workspace, self.session.budget
        money = _dollars(budget.model, starts) if budget.model else None
        large = largest(workspace, budget.counter)
        return start_rows(self.session, starts, large, _LOOKED_FOR, self.cwd, self.longer, money)


def _started(session: Session, cwd: str) -> _Started:
    workspace, budget = session.workspace, session.budget
    cwd = cwd if workspace.reader.root.exists(cwd) else ""
    starts = agent_starts(workspace, budget.counter, budget.window, cwd, workspace.home.at)
    return _Started(session, cwd, starts, longer_starts(workspace, cwd))


def _dollars(model: str, starts: Sequence[Start]) -> Money:
    # Price data take a quarter of a second to import; only a chosen model needs them.
    from ctxtui.audit.prices import money  # noqa: PLC0415

    return money(model, [(start.agent, start.known) for start in starts])
