"""The two lists of View: what to start with, and the sections of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.reactive import reactive

from ctxtui.core.errors import ContextError
from ctxtui.core.markdown.document import Document
from ctxtui.core.markdown.scan import match_key
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.target import Target
from ctxtui.core.wording import plural
from ctxtui.session.agent_start import AgentStart
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.widgets.rows import Cell, Rows


@dataclass(frozen=True, slots=True)
class StartRow:
    """A row of the Start list: a heading, or an item whose documents `enter` picks."""

    text: str
    remark: str = ""
    ids: tuple[str, ...] = ()
    style: str = ""


class StartList(Rows):
    """What each agent loads at the start, and the largest files; `enter` picks them."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: list[StartRow] = []

    def show(self, rows: list[StartRow]) -> None:
        """Show other rows; the cursor stays, or starts on the first row that can be picked."""
        first = next((place for place, row in enumerate(rows) if row.ids), 0)
        cursor = self.cursor if self.rows else first
        self.rows = rows
        self.set_count(len(rows), cursor)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Text and remark."""
        row = self.rows[index]
        return [(shown.line(row.text), row.style)], [(f" {row.remark} ", "")]


def start_rows(
    session: Session, starts: Sequence[AgentStart], large: Sequence[tuple[Reference, int]], looked_for: str
) -> list[StartRow]:
    """The Start list of a workspace."""
    counter = session.budget.counter
    rows: list[StartRow] = []
    if starts:
        rows.append(StartRow("What agents load at the start (enter picks it)", style="strong"))
        for start in starts:
            files = plural(len(start.ids), "file")
            remark = f"{files:>9}  {shown.number(start.tokens, counter):>8}"
            rows.append(StartRow(f"  {start.name}", remark, start.ids))
            rows += [StartRow(f"    cut: {text}", style="warn") for text in start.cut]
        rows.append(StartRow(""))
    else:
        rows += [
            StartRow("No agent files found", style="strong"),
            StartRow(f"  searched for {looked_for}", style="dim"),
        ]
        rows.append(StartRow(""))
    if large:
        rows.append(StartRow("The largest files", style="strong"))
        rows += [
            StartRow(f"  {reference.id}", f"{shown.number(tokens, counter):>8}", (reference.id,))
            for reference, tokens in large
        ]
    elif not session.workspace.references:
        rows.append(StartRow("This folder is empty: nothing to pick", style="warn"))
    return rows


class SectionList(Rows):
    """The parts of one document with tokens and keywords, to pick some of them."""

    session: reactive[Session | None] = reactive(None, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.reference: Reference | None = None
        self._document: Document | None = None
        self._sizes: list[int] = []

    def watch_session(self) -> None:
        """Redraw the marks, or load the document from the new snapshot."""
        self.show(self.reference)

    def show(self, reference: Reference | None) -> None:
        """Show the parts of another document, or of a new version of the same."""
        is_same = self.reference is not None and reference is not None and self.reference.id == reference.id
        self.reference, self._document, self._sizes = reference, None, []
        if reference is not None and self.session is not None:
            reference = self.session.workspace.by_id.get(reference.id, reference)
            try:
                self._document = self.session.workspace.document(reference)
                reader, counter = self.session.workspace.reader, self.session.budget.counter
                self._sizes = reader.part_sizes(self._document, counter)
            except ContextError:
                self._document = None
        self.set_count(len(self._document.parts) if self._document else 0, None if is_same else 0)

    @property
    def current_id(self) -> str | None:
        """The id of the part under the cursor."""
        if self._document is None or self.reference is None or not self._document.parts:
            return None
        return str(Target(self.reference.id, self._document.parts[self.cursor].slug))

    @property
    def summary(self) -> str:
        """The number of tokens picked from the document."""
        if self.session is None or self._document is None or self.reference is None:
            return ""
        pick = self.session.selection.find(self.reference.id)
        if pick is None:
            return "nothing picked"
        counter, reader = self.session.budget.counter, self.session.workspace.reader
        own = reader.part_tokens(self._document, counter)
        chosen = [size for size, is_taken in zip(own, pick.taken(self._document), strict=True) if is_taken]
        return f"{shown.number(sum(chosen), counter)} picked"

    def mark_columns(self, index: int) -> range:
        """The columns of the mark in a row."""
        del index
        return range(1, 4)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Mark, name by level, keywords; declared and exact tokens."""
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
