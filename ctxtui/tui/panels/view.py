"""The View panel: tabs over one document or the payload, in step with the session and the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from ctxtui.core.base.cancel import Check, Stopped, stopping
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import byte_size, noun, plural
from ctxtui.core.text.code.imports import may_have_imports
from ctxtui.core.text.code.languages import why_no_symbols
from ctxtui.core.text.markdown.document import FRONTMATTER
from ctxtui.core.text.markdown.scan import has_headings
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Total, Totals
from ctxtui.session.session import Session
from ctxtui.session.shares import file_shares
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.names import fit
from ctxtui.tui.panels.panel import About, Panel
from ctxtui.tui.panels.start_rows import Headline, start_rows
from ctxtui.tui.panels.view_pages import MAX_SHOWN, Laid
from ctxtui.tui.panels.view_texts import answer_page, lay_out
from ctxtui.tui.tree.cells import mark
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.fold_rows import Row
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.picture import Picture
from ctxtui.tui.widgets.rows import Rows
from ctxtui.tui.widgets.section_list import SectionList
from ctxtui.tui.widgets.start_list import StartList
from ctxtui.tui.widgets.tab_line import TabLine, TitleLine
from ctxtui.tui.widgets.treemap import Treemap
from ctxtui.tui.work.background import DEBOUNCE, FRAME, PAUSE, Pace, started
from ctxtui.tui.work.measure import SOON
from ctxtui.tui.work.parts import are_ready, make_ready
from ctxtui.workspace.tree import Node

if TYPE_CHECKING:
    from ctxtui.agents import Start
    from ctxtui.audit.prices import Money
    from ctxtui.session.dashboard import Dashboard


TABS: Final = ("start", "map", "text", "reference", "sections", "output")
# The least height for the map below Start.
_WITH_MAP: Final = 32
# The rows of the map that Start leaves to it, and those of the line of tabs and of the hint.
_LEAST_MAP, _FRAME = 10, 2
# Seconds that a page waits for the line below it.
_TOGETHER = 0.02


class ViewPanel(Panel):
    """Lays out the subject that `about` returns."""

    BINDINGS = bindings("view")

    tab: reactive[str] = reactive("start", init=False, repaint=False)

    start = getters.query_one("#start-list", StartList)
    map = getters.query_one("#map", Treemap)
    page = getters.query_one("#page", Page)
    sections = getters.query_one("#section-list", SectionList)

    @dataclass
    class Wanted(Message):
        """The user chose a row of Start that opens something."""

        row: Row

    def __init__(self, desk: Desk, about: Callable[[], About]) -> None:
        super().__init__(desk, id="view")
        self.border_title = "3 View"
        self._about = about
        self._is_rendered = True
        self._pace = Pace()
        # The last page and its cache key.
        self._kept: tuple[object, Laid] | None = None
        self._is_filling = self._is_start_due = False
        # Whether no starts of agents were shown yet, and the totals that the map shows.
        self._is_first = True
        self._mapped: Totals | None = None
        # The file whose related files were counted last.
        self._related_to: object = None

    def compose(self) -> ComposeResult:
        yield TabLine(TABS, id="tabs")
        yield TitleLine(fit, id="view-title")
        with ContentSwitcher(initial="start-list", id="pages"):
            yield StartList(id="start-list")
            yield Page(id="page")
            yield SectionList(id="section-list").data_bind(ViewPanel.session)
        yield Treemap(self._mark, by_folder=True, id="map")
        yield Static(id="hint")

    def _mark(self, id_: str) -> str:
        node = self.session.workspace.find(id_) if self.session is not None else None
        return shown.MARKS["none"] if node is None or self.session is None else mark(node, self.session, self.figures)

    @property
    def row(self) -> str | None:
        """The id of the tile of a focused map, of the section under the cursor, or of the node in View."""
        if self.map.has_focus:
            return self.map.target or None
        if self.tab == "sections":
            section = self.sections.current_id
            if section is not None and self.desk.now.workspace.find(section) is None:
                # The only section of a file means the file.
                return Target.parse(section).document
            return section
        node = self._about().node
        return node.id if node else None

    @on(Rows.Moved, "#start-list")
    @on(events.Resize)
    def _share(self) -> None:
        """Show the map in its tab, and in a high panel also below Start, which keeps at least half of the lines."""
        is_below = self.tab == "start" and self.size.height >= _WITH_MAP
        if is_below and not self.map.display:
            # A map is not drawn while it is hidden.
            self.refresh_view()
        self.map.display = self.tab == "map" or is_below
        pages = self.query_one("#pages")
        pages.display = self.tab != "map"
        room = self.size.height - _FRAME
        needed = max(room // 2, min(self.start.virtual_size.height, room - _LEAST_MAP))
        pages.styles.height = needed if is_below else "1fr"
        self.set_class(self.tab in ("start", "map"), "-untitled")

    @property
    def front(self) -> Widget:
        """The widget of the open tab."""
        return {"start": self.start, "sections": self.sections, "map": self.map}.get(self.tab, self.page)

    def watch_tab(self, tab: str) -> None:
        had_focus = self.has_focus_within
        self.query_one(TabLine).open = tab
        if tab != "map":
            self.query_one(ContentSwitcher).current = self.front.id
        self._share()
        if had_focus:
            self.front.focus()
        self._set_title("", "")
        self.refresh_view()

    def step_tab(self, offset: int) -> None:
        self.tab = TABS[(TABS.index(self.tab) + offset) % len(TABS)]

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self.tab = event.name

    def _set_title(self, title: str, remark: str) -> None:
        line = self.query_one(TitleLine)
        line.left, line.right = title, remark

    def _show(self, laid: Laid, key: object) -> None:
        """Show a page at its line to scroll to. Without one, the scroll offset stays while the key is the same."""
        self._set_title(laid.title, laid.remark)
        self.page.show(laid.lines, key, laid.at)

    def _set_hint(self, text: str) -> None:
        words, hint = f" {shown.line(text)}", self.query_one("#hint", Static)
        if hint.content != words:
            hint.update(Content(words), layout=False)

    def watch_figures(self) -> None:
        if self.session is not None:
            self.refresh_view()

    def show_sections(self) -> None:
        """Open the sections of the document under the cursor."""
        node = self._about().node
        self.desk.count_large_file(node)
        # At once: a key typed right after must not act on a section of the previous document.
        self.sections.show(node.reference if node else None)
        self.tab = "sections"

    def switch_rendered(self) -> None:
        self._is_rendered = not self._is_rendered
        self.refresh_view()

    @on(Rows.Entered, "#section-list")
    @on(Rows.MarkClicked)
    def action_pick(self) -> None:
        if self.tab == "start" and not self.map.has_focus:
            self.start.action_enter()
        else:
            self._toggle(self.row)

    @on(Rows.Moved, "#start-list")
    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _tell_about_start(self) -> None:
        if self.tab == "start":
            self._set_hint(self.start.about)

    @on(Picture.Moved)
    def _tell_about_map(self) -> None:
        if self.map.has_focus:
            self._set_hint(self.map.detail.replace("\n", "   "))

    def action_zoom_out(self) -> None:
        self.map.zoom_out()

    @on(Rows.Entered, "#start-list")
    def _enter_start(self) -> None:
        """Pick the files of the row, or ask the screen to open what it names."""
        row = self.start.current
        if row is None:
            return
        if row.start is not None:
            self._pick_agent(row.start)
        elif row.ids:
            self.desk.attempt(lambda session: session.mark_rows(list(row.ids), True))
            nodes = [node for id_ in row.ids if (node := self.desk.now.workspace.find(id_)) is not None]
            files = len({reference.id for node in nodes for reference in node.documents()})
            them = noun(files, "it", "them")
            self.desk.tell(f"picked {plural(files, 'file')}; {key_for(self, 'undo')} drops {them} again")
        elif row.act:
            self.post_message(self.Wanted(row))

    @work(exclusive=True, group="pick-start")
    async def _pick_agent(self, start: Start) -> None:
        """Pick the texts of a start, unless the session changes meanwhile."""
        from ctxtui.session.pick_start import pick_start  # noqa: PLC0415 - few users pick a start

        session = self.desk.now
        picked = await self.desk.complaining(asyncio.to_thread(pick_start, session, start, self.desk.cwd))
        if picked is not None and self.desk.now is session and picked.session.selection == session.selection:
            self.desk.tell(f"{start.name}: all of it is picked")
        elif picked is not None and self.desk.now is session:
            self.desk.change(picked.session)
            self.desk.tell(f"{picked.summary}; {key_for(self, 'undo')} drops it again")

    @on(Page.Resized)
    @work(exclusive=True, group="view")
    async def refresh_view(self) -> None:
        """Lay out the open tab, in a burst of keys once the user pauses."""
        tab = self.tab
        await asyncio.sleep(DEBOUNCE if tab == "start" else self._pace.delay())
        session, tab = self.session, self.tab
        if session is None:
            return
        if tab in ("start", "map"):
            self._tell_related(session, None)
            await self._draw_map(session)
            self._show_start()
            return
        about = self._about()
        self._tell_related(session, about.node.reference if about.node and about.query is None else None)
        block = about.block if tab == "output" else ""
        key = (tab, block or about.query or (about.node.id if about.node else None), self._is_rendered)
        is_first = key != self.page.key or (self._kept is not None and not self._kept[1].is_whole)
        laid = None if tab == "sections" else await self._laid_page(session, tab, about, is_first)
        if laid is None:
            await self._show_sections(session, about)
        told = None if tab == "output" else self.row
        with stopping() as check, started(asyncio.to_thread(self._hint, session, told, check)) as hint:
            # Page and hint in one frame, if possible. Two frames take longer.
            await asyncio.wait({hint}, timeout=_TOGETHER)
            if laid is not None:
                self._show(laid, key)
            self._set_hint(await hint)
        if laid is not None and not laid.is_whole:
            await asyncio.sleep(PAUSE)
            self._show(await self._laid_page(session, tab, about), key)

    def _tell_related(self, session: Session, reference: Reference | None) -> None:
        """Count the files related to a code file and show the number below the page, unless it is there already."""
        of = (session.workspace, session.budget.counter, reference and reference.id)
        if of != self._related_to:
            self._related_to = of
            self._write_related(session, reference)

    @work(exclusive=True, group="related")
    async def _write_related(self, session: Session, reference: Reference | None) -> None:
        if self.border_subtitle:
            self.set_titles(subtitle="")
        if reference is None or not may_have_imports(reference.path):
            return
        from ctxtui.tui.actions.related_files import related_line  # noqa: PLC0415 - only code has related files

        told = await related_line(session, reference)
        if told:
            self.set_titles(subtitle=f"{told}  {key_for(self, 'links')}")

    def _show_start(self) -> None:
        """Fill Start. Changes during the work are shown afterwards, so that frequent changes cannot starve it."""
        self._is_start_due = True
        if not self._is_filling:
            self._is_filling = True
            self._fill_start()

    @work(group="start")
    async def _fill_start(self) -> None:
        # The tree is drawn first.
        await asyncio.sleep(FRAME)
        try:
            while self._is_start_due:
                self._is_start_due = False
                with suppress(Stopped):
                    await self._fill(self.desk.now)
        finally:
            self._is_filling = False

    async def _fill(self, session: Session) -> None:
        """Show the sections of Start, then again once estimated starts are counted better."""
        # The modules of agents take a while to import.
        await asyncio.to_thread(import_module, "ctxtui.session.dashboard")
        from ctxtui.session.dashboard import dashboard, first_dashboard, with_whole_counts  # noqa: PLC0415

        desk = self.desk
        cwd = desk.cwd
        with started(desk.findings.starts(session, cwd)) as reading:
            while self._is_first and not reading.done():
                known = await asyncio.to_thread(first_dashboard, session, self.figures, cwd)
                await self._show_dashboard(session, known)
                await asyncio.wait({reading}, timeout=SOON)
            starts = await reading
        marks = desk.git.tree.working.by_path
        data = await asyncio.to_thread(dashboard, session, self.figures, marks, cwd, starts)
        if session.budget.counter.exact or self._is_first:
            self._is_first = False
            await self._show_dashboard(session, data)
        if session.budget.counter.exact:
            return
        with stopping() as is_left:

            def check() -> None:
                is_left()
                now = self.desk.now
                if (now.workspace, now.budget) != (session.workspace, session.budget):
                    raise Stopped

            with started(asyncio.to_thread(with_whole_counts, data, session, check)) as task:
                await asyncio.wait({task}, timeout=SOON)
                if not task.done():
                    await self._show_dashboard(session, data)
                await self._show_dashboard(session, await task)

    async def _draw_map(self, session: Session) -> None:
        """Draw a visible map for the first totals, then for complete ones. Otherwise only draw its marks again."""
        totals = self.figures.totals
        is_counted = totals.get("", Total()).is_counted
        is_due = self._mapped is None or is_counted
        has_totals = bool(totals) or not session.workspace.references
        if self.map.display and has_totals and self._mapped is not totals and is_due:
            shares = await asyncio.to_thread(file_shares, session.workspace.tree, totals)
            self._mapped = totals
            number = partial(shown.number, counter=session.budget.counter, is_counted=is_counted)
            self.map.show(shares, shown.line(session.workspace.root.name or "/"), number)
        elif self.map.display:
            self.map.redraw_marks()

    async def _show_dashboard(self, session: Session, data: Dashboard) -> None:
        model = session.budget.model
        money = await asyncio.to_thread(_start_prices, model, data.starts) if model else None
        findings = self.desk.findings
        headline = Headline(self.figures.totals.get("", Total()), findings.report, findings.saving)
        self.start.show(start_rows(session, data, partial(key_for, self), headline, money))
        self._tell_about_start()
        self._share()

    async def _show_sections(self, session: Session, about: About) -> None:
        """Show the sections of a document, of large data only once it is counted."""
        node = about.node
        reference = node.reference if node and node.reference and not session.uncounted([node.reference]) else None
        if reference is not None and not are_ready(session, reference):
            await asyncio.to_thread(make_ready, session, [reference])
        self.sections.show(reference, is_ready=True)
        title = "" if node is None else node.reference.path if node.reference else node.title
        self._set_title(title, self.sections.summary)

    async def _laid_page(self, session: Session, tab: str, about: About, is_first: bool = False) -> Laid:
        """The page of a tab. With `is_first`, only as much Markdown as the screen shows. The last text is cached."""
        node, query, block = about
        width = max(10, self.page.scrollable_content_region.width or self.size.width - 2)
        enough = width * self.size.height if is_first else MAX_SHOWN
        if query is not None and tab != "output":
            return await asyncio.to_thread(answer_page, session, query, width)
        git = self.desk.git.tree.working.by_path
        is_changed = node is not None and node.reference is not None and node.reference.path in git
        text: object = None
        if tab == "text" and node is not None and node.reference is not None:
            is_counted = not session.uncounted([node.reference])
            text = session.workspace, session.budget.counter.key, node.id, width, self._is_rendered, is_counted, git
        kept = self._kept
        if text is None or kept is None or kept[0] != text or not (is_first or kept[1].is_whole):
            with stopping() as check:
                rendered = self._is_rendered
                laid = await asyncio.to_thread(
                    lay_out, session, node, tab, width, rendered, check, is_changed, enough, block
                )
            kept = self._kept = text, laid
        return kept[1]

    @property
    def _pick_key(self) -> str:
        """The key that picks a row. In a filter, it is a key that types no character."""
        return key_for(self, "field_pick" if isinstance(self.screen.focused, FilterInput) else "pick")

    def _hint(self, session: Session, id_: str | None, check: Check) -> str:
        """How many tokens picking a row adds, or why it adds none, in words. Empty without a row."""
        if id_ is None:
            return ""
        node = session.workspace.find(id_)
        path = node.reference.path if self.tab == "sections" and node and node.reference else ""
        if path and not has_headings(path) and (why := why_no_symbols(path)):
            return why
        large = session.uncounted(node.documents()) if node is not None else []
        if large:
            size = byte_size(sum(each.stamp.size for each in large))
            counts, picks = key_for(self, "count_large"), key_for(self, "pick")
            return f"{counts} counts {size} of large data; {picks} picks it too"
        try:
            if session.state(id_) == "all":
                return f"picked; {self._pick_key} drops it"
            layout = self.figures.layout
            text, wrapping = session.cost_parts(id_, check)
            left_out = _frontmatter(session, node)
        except ContextError as error:
            return error.message
        if layout is None:
            return ""
        added, limit = text + wrapping, session.budget.effective
        number = partial(shown.number, counter=session.budget.counter)
        adds = f"{self._pick_key} adds {number(added)}"
        if session.selection.template is not None:
            return f"{adds}, before the template"
        if limit is None:
            rest = f", frontmatter {number(left_out)} stays out" if left_out else ""
            return f"{adds} = text {number(text)} + wrapping {number(wrapping)}{rest}"
        after = layout.wanted + added
        left = f"{number(limit - after)} left" if after <= limit else f"{number(after - limit)} over"
        return f"{adds}: {number(after)} / {limit:,}, {left}"


def _frontmatter(session: Session, node: Node | None) -> int:
    """The tokens of a document's frontmatter, which a pick of the document leaves out. 0 for other nodes."""
    if node is None or node.kind != "document" or node.reference is None or not has_headings(node.reference.path):
        return 0
    document = session.workspace.document(node.reference)
    sizes = session.workspace.reader.part_sizes(document, session.budget.counter)
    return sum(size for part, size in zip(document.parts, sizes, strict=True) if part.name == FRONTMATTER)


def _start_prices(model: str, starts: Sequence[Start]) -> Money:
    # Only a chosen model needs the price data.
    from ctxtui.audit.prices import money  # noqa: PLC0415

    return money(model, [(start.agent, start.known) for start in starts])
