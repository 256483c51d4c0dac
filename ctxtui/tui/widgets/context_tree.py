"""The Context panel: the tree with its marks, badges and exact tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.message import Message
from textual.reactive import reactive

from ctxtui.audit.declared import file_drift
from ctxtui.audit.types import Settings
from ctxtui.core.errors import ContextError
from ctxtui.core.markdown.task_filter import TASK_FILTERS
from ctxtui.core.markdown.tasks import BLOCKED, DONE, TODO
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.target import Target
from ctxtui.core.wording import plural
from ctxtui.session.figures import Figures, Total
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.tree_rows import Row, opened_with, outline
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.workspace.tree import Node


class ContextTree(Rows):
    """The tree of the workspace. Sections are read when a document is opened."""

    session: reactive[Session | None] = reactive(None, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)

    @dataclass
    class Opened(Message):
        """Rows were opened or closed."""

        tree: ContextTree

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.opened: frozenset[str] = frozenset()
        self.rows: list[Row] = []
        self.filtered: list[Row] | None = None
        self._before: Node | None = None
        self.by_tokens = False
        self.readers: dict[str, int] = {}
        self.problems: frozenset[str] = frozenset()
        self.changed: frozenset[str] = frozenset()
        self.git: Mapping[str, str] = {}
        """The marks of changed files by path."""
        self.findings: Mapping[str, tuple[int, int]] = {}
        """The errors and warnings of files by path."""
        self.drift: Settings | None = None
        """How far off declared numbers may be; None until that is known, or if nobody wants to know."""

    def watch_session(self, old: Session | None, new: Session | None) -> None:
        """Redraw; on another snapshot, keep cursor and scroll where they are."""
        if new is None:
            return
        if old is None or old.workspace is not new.workspace:
            self.rebuild()
        else:
            self.refresh()

    def watch_figures(self) -> None:
        """Redraw the numbers; sort the rows again if they are sorted by tokens."""
        if self.by_tokens:
            self.rebuild()
        else:
            self.refresh()

    @property
    def current(self) -> Node | None:
        """The node under the cursor."""
        return self.rows[self.cursor].node if self.rows else None

    def rebuild(self, to: str | None = None) -> None:
        """Make the rows again; the cursor stays on its node, or goes `to` another."""
        if self.session is None:
            return
        current = self.current
        wanted = to or (current.id if current else None)
        offset = self.cursor - self.scroll_offset.y
        if self.filtered is not None:
            self.rows = self.filtered
        else:
            totals = self.figures.totals if self.by_tokens else None
            self.rows = outline(self.session.workspace.tree, self.opened, totals)
        places = {row.node.id: place for place, row in enumerate(self.rows)}
        cursor = places.get(wanted or "", min(self.cursor, len(self.rows) - 1))
        self.set_count(len(self.rows), cursor)
        self.scroll_to(y=max(0, self.cursor - max(0, offset)), animate=False, force=True, immediate=True)
        self._show_cursor()
        self.refresh()

    def show_filtered(self, rows: list[Row] | None, to_first: bool = True) -> None:
        """Show a flat list of matches, or the tree again.

        The cursor goes to the first match, or stays; when the filter closes, it returns to its earlier row.
        """
        current = self.current
        if self.filtered is None:
            self._before = current
        self.filtered = rows
        if rows is not None:
            self.rebuild(rows[0].node.id if rows and to_first else None)
        elif current is not None or self._before is not None:
            self.reveal(current or self._before)
        else:
            self.rebuild()

    def reveal(self, node: Node | None) -> None:
        """Open the ancestors of a node and go to it."""
        self.filtered = None
        if self.session is None or node is None or node.reference is None:
            self.rebuild(node.id if node else None)
            return
        group = node.reference.group
        above = {f"{'/'.join(group[:depth])}/" for depth in range(1, len(group) + 1)}
        if node.part is not None:
            above.add(node.reference.id)
            for part in self.session.workspace.document(node.reference).lineage(node.part)[:-1]:
                above.add(str(Target(node.reference.id, part.slug)))
        self.opened |= above
        self.rebuild(node.id)

    def set_open(self, row: Row, is_open: bool) -> None:
        """Open or close a row."""
        opened = opened_with(row.node, self.opened) if is_open else self.opened - {row.node.id}
        if opened != self.opened:
            self.opened = opened
            self.rebuild()
            self.post_message(self.Opened(self))

    def action_left(self) -> None:
        """Close the row, or go to the row above it in the tree."""
        if not self.rows:
            return
        row = self.rows[self.cursor]
        if row.is_open:
            self.set_open(row, False)
            return
        for index in range(self.cursor - 1, -1, -1):
            if self.rows[index].depth < row.depth:
                self.move(index)
                return

    def action_right(self) -> None:
        """Open the row, or go to the first row inside."""
        if not self.rows:
            return
        row = self.rows[self.cursor]
        if row.can_open and not row.is_open:
            self.set_open(row, True)
        elif row.is_open:
            self.action_down()

    def mark_columns(self, index: int) -> range:
        """The columns of the mark in a row."""
        start = 1 + self.rows[index].depth * 2
        return range(start, start + 4)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Fold sign, mark and name; badge and tokens at the right."""
        row = self.rows[index]
        node = row.node
        sign = ("▾ " if row.is_open else "▸ ") if row.can_open else "  "
        mark = self._mark(node)
        mark_style = shown.MARK_STYLES[mark]
        name_style = "strong" if node.kind == "folder" else "dim" if self._is_dim(node) else ""
        left: list[Cell] = [
            ("  " * row.depth, ""),
            (sign, "dim"),
            (f"{mark} ", mark_style),
            (shown.line(row.label or node.title), name_style),
            *_links(node),
        ]
        badge, badge_style = self._badge(node)
        tokens, tokens_style = self._tokens(node)
        return left, [(f" {badge} ", badge_style), (f"{tokens:>8} ", tokens_style)]

    @staticmethod
    def _is_dim(node: Node) -> bool:
        part = node.part
        return (part is not None and not part.level) or bool(node.reference and node.reference.ignored)

    def _mark(self, node: Node) -> str:
        session = self.session
        if session is None:
            return "○"
        if node.kind == "folder":
            taken, total = self.figures.taken.get(node.id), self.figures.totals.get(node.id, Total())
            if taken is None:
                return "○"
            return "●" if taken.whole >= total.files else "◐"
        return shown.mark(session, node.id)

    def _badge(self, node: Node) -> tuple[str, str]:
        reference = node.reference
        if reference is None:
            return self._folder_badge(node), "dim"
        if node.part is not None:
            return self._part_badge(node), "dim"
        if reference.path in self.problems:
            return "problem", "warn"
        if node.id in self.changed:
            return "changed", "accent"
        pick = self.session.selection.find(node.id) if self.session else None
        if pick is not None and pick.tasks:
            return TASK_FILTERS[pick.tasks].partition(",")[0], "accent"
        if pick is not None and pick.pinned:
            return "pinned", "accent"
        drift = self._drift(reference)
        if drift:
            return drift, "warn"
        if node.id in self.readers:
            return f"always {self.readers[node.id]}", "accent"
        if reference.ignored:
            return "ignored", "dim"
        return reference.strategy or "", "dim"

    def _folder_badge(self, node: Node) -> str:
        total = self.figures.totals.get(node.id)
        if total is None:
            return ""
        if total.is_counted:
            return plural(total.files, "file")
        return f"{plural(total.files, 'file')}, counting {total.counted * 100 // max(1, total.files)} %"

    def _part_badge(self, node: Node) -> str:
        if self.session is None or node.reference is None or node.part is None or not node.part.level:
            return ""
        try:
            document = self.session.workspace.document(node.reference)
        except ContextError:
            return ""
        position = document.position(node.part.slug)
        if position is None:
            return ""
        counts = document.task_counts[position]
        found = [f"{counts[status]} {status}" for status in (TODO, BLOCKED, DONE) if counts[status]]
        date = document.section_dates[position]
        return ", ".join(found if date in node.part.name else [date, *found])

    def _drift(self, reference: Reference) -> str:
        session, total = self.session, self.figures.totals.get(reference.id)
        if reference.details.declared_tokens is None or session is None or total is None or self.drift is None:
            return ""
        if not total.is_counted:
            return ""
        reader = session.workspace.reader
        try:
            document = session.workspace.document(reference)
            drift = file_drift(reader, document, session.budget.counter, self.drift)
        except ContextError:
            return ""
        if drift is None:
            return ""
        return f"drift {(drift.tokens - drift.declared) / drift.declared:+.0%}" if drift.declared else "drift"

    def _tokens(self, node: Node) -> tuple[str, str]:
        session = self.session
        if session is None:
            return "", ""
        counter = session.budget.counter
        if node.part is not None and node.reference is not None:
            return self._part_tokens(node), ""
        total = self.figures.totals.get(node.id)
        if total is None:
            return "", ""
        if total.failed and total.failed == total.files:
            return "–", "dim"
        text = shown.number(total.tokens, counter, total.is_counted)
        taken = self.figures.taken.get(node.id)
        if taken is not None and self._mark(node) == "◐":
            text = f"{taken.tokens:,}/{text}"
        return text, "dim" if not total.is_counted else ""

    def _part_tokens(self, node: Node) -> str:
        session = self.session
        if session is None or node.reference is None or node.part is None:
            return ""
        counter = session.budget.counter
        try:
            document = session.workspace.document(node.reference)
            position = document.position(node.part.slug)
            sizes = session.workspace.reader.part_sizes(document, counter)
        except ContextError:
            return "–"
        return "" if position is None else shown.number(sizes[position], counter)


def _links(node: Node) -> Sequence[Cell]:
    """The symbolic links to a document, ` ← CLAUDE.md`."""
    if node.reference is None or node.part is not None or not node.reference.aliases:
        return ()
    return ((f" ← {shown.line(', '.join(node.reference.aliases))}", "dim"),)
