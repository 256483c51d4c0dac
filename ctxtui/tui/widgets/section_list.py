"""The list of a document's sections and symbols."""

from __future__ import annotations

from collections.abc import Sequence

from textual.reactive import reactive

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import match_key
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.tui.work.parts import are_ready


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
        """The id of the section under the cursor, None without sections."""
        if self._document is None or self.reference is None or not self._document.parts:
            return None
        return str(Target(self.reference.id, self._document.parts[self.cursor].slug))

    @property
    def summary(self) -> str:
        """The picked tokens of the document. Empty without a document."""
        if self.session is None or self._document is None or self.reference is None:
            return ""
        pick = self.session.selection.document_pick(self.reference.id)
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
