"""The tree of the Context panel with its marks, badges and exact tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from textual import work
from textual.message import Message
from textual.reactive import reactive

from ctxtui.core.base.target import Target
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.filtering import Filter, spans
from ctxtui.tui.names import Name
from ctxtui.tui.tree import cells
from ctxtui.tui.tree.cells import FileFacts
from ctxtui.tui.tree.rows import (
    ORDERS,
    Order,
    TreeRow,
    lineage,
    opened_to_fit,
    opened_with,
    place_of,
    trail,
    visible_rows,
)
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.tui.work.parts import make_ready, unready
from ctxtui.workspace.tree import Node

# Names are not shortened below this many columns for the cells at their right.
_LEAST_NAME: Final = 24
_LEAST_PATH: Final = 44
# The least width of the panel for bars in rows, with names alone or with paths.
_WITH_BARS: Final = 46
_WITH_PATHS_AND_BARS: Final = 64
# The share of its room that a name leaves to the links behind it.
_LINKS: Final = 0.4
# A badge that matters is shortened if it has more columns than this.
_LEAST_BADGE: Final = 9
# The least height for a line with the ancestors of the first row.
_WITH_HEADER: Final = 4


class ContextTree(Rows):
    """The tree of the workspace. Sections are read when a document is opened."""

    session: reactive[Session | None] = reactive(None, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)
    facts: reactive[FileFacts] = reactive(FileFacts, repaint=False)
    findings: reactive[Mapping[str, tuple[int, int]]] = reactive(dict, repaint=False)
    """The errors and warnings of the audit, by path."""
    git: reactive[Mapping[str, str]] = reactive(dict, repaint=False)
    """The letter of each uncommitted change, by path."""

    class Opened(Message):
        """The user opened or closed rows."""

    opened: frozenset[str] = frozenset()
    is_restored = False
    """Whether the open rows are the user's own, who opened or closed some."""
    # Whether folders were opened by their size, which is done once.
    _is_sized = False
    rows: Sequence[TreeRow] = ()
    filtered: list[TreeRow] | None = None
    """The flat list of a filter, None while the tree shows."""
    # The node under the cursor before a flat list.
    _before: Node | None = None
    sought: Filter | None = None
    """The filter whose matches are highlighted."""
    order: Order = "path"
    # The scale of the bars, computed when they are drawn.
    _largest: int | None = None
    # The columns of the numbers on the screen.
    _number_width = 0
    # The findings and changes below folders, computed when they are drawn.
    _sums: tuple[Mapping[str, tuple[int, int]], frozenset[str]] | None = None

    def watch_session(self, old: Session | None, new: Session | None) -> None:
        """Redraw. On another snapshot, keep cursor and scroll position."""
        if new is None:
            return
        if old is None or old.workspace is not new.workspace:
            self._sums = None
            self.rebuild()
        else:
            if old.budget.counter != new.budget.counter:
                self._largest = None
            self.update()

    def watch_figures(self, old: Figures, new: Figures) -> None:
        """Redraw the numbers. Sort again if the rows are sorted by tokens that changed."""
        if old.totals is new.totals:
            self.update()
            return
        self._largest = None
        if new.totals and not self._is_sized and not self.is_restored and self.session is not None:
            self._is_sized = True
            self.opened = opened_to_fit(self.session.workspace.tree, new.totals, self.size.height)
            self.rebuild()
        elif self.order != "path":
            self.rebuild()
        else:
            self.update()

    def _show_signs(self) -> None:
        self._sums = None
        self.update()

    watch_facts = watch_findings = watch_git = _show_signs

    @property
    def current(self) -> Node | None:
        return self.rows[self.cursor].node if self.rows else None

    def rebuild(self, to: str | None = None) -> None:
        """Make the rows again. The cursor stays on its node or an ancestor, or goes `to` another.

        Documents that take a moment to read open afterwards.
        """
        if self.session is None:
            return
        wanted = [to, Target.parse(to).document] if to else [row.node.id for row in lineage(self.rows, self.cursor)]
        unread = unready(self.session, self.opened - self.session.workspace.tree.folder_ids)
        self._rebuild(wanted, self.opened - {each.id for each in unread})
        if unread:
            self._read(unread, wanted, None)

    def _rebuild(self, wanted: Sequence[str], opened: frozenset[str]) -> None:
        """Make the rows with `opened` nodes, and put the cursor on the first `wanted` node that has a row."""
        assert self.session is not None
        workspace = self.session.workspace
        offset = self.cursor - self.scroll_offset.y
        self._largest = None
        if self.filtered is not None:
            self.rows = self.filtered
        else:
            self.rows = visible_rows(workspace.tree, opened, self.figures.totals, self.order)
        places = (place_of(id_, self.rows) for id_ in wanted)
        cursor = next((place for place in places if place is not None), min(self.cursor, len(self.rows) - 1))
        self.set_count(len(self.rows), cursor)
        self.jump(max(0, self.cursor - max(0, offset)))
        self.show_cursor()

    @work(group="parts")
    async def _read(self, unread: list[Reference], wanted: Sequence[str], opening: Node | None) -> None:
        """Parse `unread`, then show their parts and open `opening`. The cursor goes to `wanted` unless moved."""
        session = self.session
        assert session is not None
        await asyncio.to_thread(make_ready, session, unread)
        if self.session is not None and self.session.workspace is session.workspace:
            self.opened = opened_with(opening, self.opened) if opening else self.opened
            at = [row.node.id for row in lineage(self.rows, self.cursor)]
            self._rebuild(wanted if at and at[0] in wanted else at, self.opened)

    def show_filtered(self, rows: list[TreeRow] | None, to_first: bool = True, sought: Filter | None = None) -> None:
        """Show the flat list of a filter's matches, or the tree again.

        The cursor goes to the first match, or stays. When the filter closes, it returns to its earlier row.
        """
        current = self.current
        if self.filtered is None and self.order != "flat":
            self._before = current
        self.filtered, self.sought, self.remark = rows, sought, ""
        if rows is not None:
            self.rebuild(rows[0].node.id if rows and to_first else None)
        elif current is not None or self._before is not None:
            self.reveal(current or self._before)
        else:
            self.rebuild()

    def reveal(self, node: Node | None) -> None:
        """Leave the filter, open the rows above a node, and put the cursor on it. None only leaves the filter."""
        self.filtered = self.sought = None
        if self.session is None or node is None or node.reference is None:
            self.rebuild(node.id if node else None)
            return
        above = set(cells.folder_ids(node.reference))
        if node.part is not None:
            above.add(node.reference.id)
            for part in self.session.workspace.document(node.reference).lineage(node.part)[:-1]:
                above.add(str(Target(node.reference.id, part.slug)))
        self.opened |= above
        self.rebuild(node.id)

    def set_open(self, row: TreeRow, is_open: bool) -> None:
        """Open or close a row for the user. A document that takes a moment to read opens afterwards."""
        unread = unready(self.session, [row.node.id]) if is_open and self.session is not None else []
        if unread:
            self._read(unread, [row.node.id], row.node)
            return
        opened = opened_with(row.node, self.opened) if is_open else self.opened - {row.node.id}
        self._open_only(opened)

    def action_left(self) -> None:
        if not self.rows:
            return
        row = self.rows[self.cursor]
        if row.is_open:
            self.set_open(row, False)
        elif row.above >= 0:
            self.move(row.above)

    def action_right(self) -> None:
        if not self.rows:
            return
        row = self.rows[self.cursor]
        if row.can_open and not row.is_open:
            self.set_open(row, True)
        elif row.is_open:
            self.action_down()

    def collapse_all(self) -> None:
        self._open_only(frozenset())

    def expand_all(self) -> None:
        if self.session is not None:
            self._open_only(self.opened.union(self.session.workspace.tree.folder_ids))

    def _open_only(self, opened: frozenset[str]) -> None:
        if opened != self.opened:
            self.opened, self.is_restored = opened, True
            self.rebuild()
            self.post_message(self.Opened())

    def next_order(self) -> None:
        """Sort by path, by tokens, all files by tokens, by path again.

        The flat list starts at its top. After it, the cursor is on the file it moved to, else on its earlier row.
        """
        orders = list(ORDERS)
        was, self.order = self.order, orders[(orders.index(self.order) + 1) % len(orders)]
        if self.filtered is None and self.order == "flat":
            self._before = self.current
            self.rebuild()
            self.move(0)
        elif self.filtered is None and was == "flat" and self.cursor:
            self.reveal(self.current)
        elif was == "flat":
            self.rebuild(self._before.id if self._before is not None else None)
        else:
            is_at_top = not self.cursor
            self.rebuild()
            if is_at_top:
                self.move(0)

    def mark_columns(self, index: int) -> range:
        start = 3 + self.rows[index].depth * 2
        return range(start, start + 2)

    def fold_columns(self, index: int) -> range:
        row = self.rows[index]
        start = 1 + row.depth * 2
        return range(start, start + 2) if row.can_open else range(0)

    def toggle_fold(self, index: int) -> None:
        row = self.rows[index]
        self.set_open(row, not row.is_open)

    def header(self, top: int) -> Sequence[Cell]:
        """The titles of the first row's ancestors, if the parent's row is above the screen."""
        if not 0 < top < len(self.rows) - 1 or self.scrollable_content_region.height < _WITH_HEADER:
            return ()
        if self.rows[top].above < 0 or self.rows[top + 1].above < 0:
            return ()
        return [("  ", ""), Name(shown.line(trail(self.rows, top + 1)), "accent"), (" ", "")]

    def header_row(self, top: int) -> int:
        return self.rows[top + 1].above

    def prepare(self, indices: range) -> None:
        """Give all numbers on the screen one width, which aligns the bars before them."""
        session = self.session
        if session is None:
            return
        least = 7 if self.scrollable_content_region.width >= _WITH_BARS else 5
        nodes = (self.rows[index].node for index in indices)
        numbers = (
            cells.tokens(node, session, self.figures, cells.mark(node, session, self.figures) == "◐")[0]
            for node in nodes
        )
        self._number_width = max(least, *(len(number) for number in numbers), 0)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Fold sign, mark and name. At the right badge, findings, change, share and tokens."""
        row, session = self.rows[index], self.session
        if session is None:
            return [], []
        node = row.node
        sign = ("▾ " if row.is_open else "▸ ") if row.can_open else "  "
        mark = cells.mark(node, session, self.figures)
        style = "strong" if node.kind == "folder" else "dim" if cells.is_quiet(node) else ""
        if row.label is None:
            links = cells.link_words(node)
            name = Name(shown.line(row.title or node.title), style, yields=_LINKS if links else 0.0)
        else:
            links, found = "", spans(row.label, self.sought) if self.sought is not None else ()
            name = Name(shown.line(row.label.text), style, found)
        source = cells.source_sign(node)
        left: list[Cell] = [
            ("  " * row.depth, ""),
            (sign, "dim"),
            (f"{mark} ", shown.MARK_STYLES[mark]),
            source,
            name,
        ]
        if links:
            left.append((links, "dim"))
        return left, self._right(row, session, mark, cell_len(source[0] + name.text + links))

    def _right(self, row: TreeRow, session: Session, mark: str, needed: int) -> list[Cell]:
        """The cells at the right that fit beside `needed` columns of a name. `mark` is the row's sign for picks."""
        node = row.node
        text, style = cells.tokens(node, session, self.figures, mark == "◐")
        width = self.scrollable_content_region.width
        number = (f" {text:>{self._number_width}} ", style)
        badge, style = cells.badge(node, session, self.figures, self.facts)
        needed = min(needed, _LEAST_PATH if row.label is not None else _LEAST_NAME)
        room = width - 6 - row.depth * 2 - needed - len(number[0])
        signs = [cell for cell in self._signs(node, session) if len(cell[0]) <= room]
        room -= sum(len(cell[0]) for cell in signs)
        # A word that warns or shows picks is worth more than a bar.
        is_quiet = style in ("dim", "note")
        if width >= (_WITH_BARS if row.label is None else _WITH_PATHS_AND_BARS) and (
            is_quiet or room >= len(badge.partition(" ")[0]) + 9
        ):
            size = cells.size_of(node, session, self.figures)
            signs.append(cells.share_bar(node, size, self._largest_size()))
            room -= len(signs[-1][0])
        least = len(badge.partition(" ")[0]) + 2 if not is_quiet else len(badge) + 2
        if badge and (least <= room or (not is_quiet and room > _LEAST_BADGE)):
            signs.insert(0, (f" {cells.short_badge(badge, room - 2)} ", style))
        return [*signs, number]

    def _signs(self, node: Node, session: Session) -> Iterator[Cell]:
        if self._sums is None:
            self._sums = cells.folder_sums(session, self.findings, self.git)
        sums, changed = self._sums
        path = node.reference.path if node.reference is not None and node.part is None else ""
        if self.findings:
            yield cells.findings_cell(sums.get(node.id) or self.findings.get(path, (0, 0)))
        if self.git:
            yield cells.git_cell("•" if node.id in changed else self.git.get(path, ""))

    def _largest_size(self) -> int:
        """The tokens of the largest row at the top level, the common scale of all bars."""
        session = self.session
        assert session is not None
        if self._largest is None:
            nodes: Sequence[Node] = session.workspace.tree.children
            if self.filtered is not None:
                nodes = [row.node for row in self.filtered]
            elif self.order == "flat":
                nodes = [row.node for row in self.rows[:1]]
            self._largest = max((cells.size_of(node, session, self.figures) for node in nodes), default=0)
        return self._largest
