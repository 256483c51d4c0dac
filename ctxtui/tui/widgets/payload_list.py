"""The Payload panel: the blocks in order, and what was cut, left out or is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.reactive import reactive

from ctxtui.core.payload.types import PROMPT_ID, Block
from ctxtui.core.wording import plural
from ctxtui.session.figures import Figures
from ctxtui.session.picks import listing_name
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.widgets.rows import Cell, Rows


@dataclass(frozen=True, slots=True)
class PayloadRow:
    """A block, or a pick that is missing."""

    id: str
    title: str
    block: Block | None


class PayloadList(Rows):
    """The blocks of the payload as they will be exported."""

    session: reactive[Session | None] = reactive(None, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._blocks: tuple[Block, ...] = ()
        self._missing: tuple[str, ...] = ()

    @property
    def current(self) -> PayloadRow | None:
        """The row under the cursor."""
        return self._row(self.cursor) if self.count else None

    def _row(self, index: int) -> PayloadRow:
        """A row, made on demand: there can be a hundred thousand."""
        if index < len(self._blocks):
            block = self._blocks[index]
            return PayloadRow(block.id, block.source, block)
        id_ = self._missing[index - len(self._blocks)]
        return PayloadRow(id_, id_, None)

    def watch_figures(self, old: Figures, new: Figures) -> None:
        """Show the blocks of the new layout; the cursor stays on its block."""
        if old.layout is new.layout:
            return
        current, layout = self.current, new.layout
        self._blocks, self._missing = (layout.blocks, layout.missing) if layout is not None else ((), ())
        ids = (*(block.id for block in self._blocks), *self._missing)
        place = None if current is None or current.id not in ids else ids.index(current.id)
        self.set_count(len(ids), place)

    def _tail(self, text: str, room: int) -> str:
        """An id; if it is too long, its beginning is left out, because the end says more."""
        text = shown.line(text)
        return text if len(text) <= room else "…" + text[1 - room :]

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Number, pin and source; what happened to the block, and its tokens."""
        row = self._row(index)
        block = row.block
        if block is None:
            return [(f"{index + 1:>3} ! ", "over"), (shown.line(row.title), "over")], [("missing ", "over")]
        counter = self.session.budget.counter if self.session else None
        pin = "*" if block.pinned and block.id != PROMPT_ID else " "
        style = "dim" if block.state == "dropped" else ""
        sign = "" if counter is None or counter.exact else "≈"
        notes = []
        if block.secrets:
            notes.append((f" {plural(block.secrets, 'secret')} ", "warn"))
        if block.state == "dropped":
            notes.append((" left out ", "over"))
        elif block.state != "whole":
            cut = "header of" if block.state == "header" else "cut from"
            notes.append((f" {cut} {block.wanted:,} ", "warn"))
        elif pin == "*":
            notes.append((" pinned ", "accent"))
        room = self.size.width - 17 - sum(len(text) for text, _ in notes)
        name = "prompt" if block.id == PROMPT_ID else self._tail(listing_name(row.id), max(8, room))
        left = [(f"{index + 1:>3} {pin} ", "accent"), (name, style)]
        return left, [*notes, (f"{sign}{block.tokens:,}".rjust(8) + " ", style)]
