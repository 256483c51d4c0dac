"""The list of the Payload panel: the blocks in order, with cut, omitted and missing picks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from textual.reactive import reactive

from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.types import PROMPT_ID, TREE_ID, Block
from ctxtui.core.text.code.outline import OUTLINE
from ctxtui.session.figures import Figures, source_of
from ctxtui.session.glob_picks import matches_of
from ctxtui.session.picks import SNIPPET, Pick, kind_and_name, shown_name
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import Name, Plain
from ctxtui.tui.widgets.rows import Cell, Rows

_BAR: Final = 8
# The columns that remarks leave to the number, name and tokens.
_LEAST: Final = 28
# The least widths for a bar, for a bar beside names with a section, and for a bar beside remarks.
_WITH_BAR: Final = 44
_WITH_PART: Final = 60
_WIDE: Final = 72

OWN_BLOCKS: Final = {PROMPT_ID: "prompt", TREE_ID: "project tree"}
"""Blocks that are not picks, and their names."""

FOUND: Final = "›"
"""The mark of a document that a pattern found."""


@dataclass(frozen=True, slots=True)
class PayloadRow:
    """A block, or a pick that gives no block, with the reason."""

    id: str
    block: Block | None
    reason: str = ""


class PayloadList(Rows):
    session: reactive[Session | None] = reactive(None, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)

    _blocks: tuple[Block, ...] = ()
    _without: tuple[PayloadRow, ...] = ()
    _most = 0
    _has_remarks = False

    @property
    def current(self) -> PayloadRow | None:
        return self._row(self.cursor) if self.count else None

    def _row(self, index: int) -> PayloadRow:
        """The row at an index. Rows of blocks are made on demand, since there can be a hundred thousand."""
        if index < len(self._blocks):
            block = self._blocks[index]
            return PayloadRow(block.id, block)
        return self._without[index - len(self._blocks)]

    def watch_figures(self, old: Figures, new: Figures) -> None:
        """Show the blocks of the new layout. The cursor stays on its block."""
        is_waiting = new.layout is None or new.guess is not None
        self.remark = "counting …" if is_waiting else "what is picked finds nothing now"
        if old.layout is new.layout:
            return
        current, layout = self.current, new.layout
        self._blocks = layout.blocks if layout is not None else ()
        missing, idle = (layout.missing, self._idle_picks()) if layout is not None else ((), ())
        self._without = (
            *(PayloadRow(id_, None, "missing") for id_ in missing),
            *(PayloadRow(id_, None, "finds nothing now") for id_ in idle),
        )
        self._most = max((block.tokens for block in self._blocks), default=0)
        self._has_remarks = any(block.state != "whole" or block.secrets for block in self._blocks)
        ids = (*(block.id for block in self._blocks), *(row.id for row in self._without))
        place = None if current is None or current.id not in ids else ids.index(current.id)
        self.set_count(len(ids), place)

    def _idle_picks(self) -> Iterator[str]:
        """The ids of the picks that find nothing now: answered queries, and patterns."""
        if self.session is None:
            return
        selection = self.session.selection
        with_block = {id_ for block in self._blocks for id_ in (block.id, Target.of_block(block.id).document)}
        waiting = {query.id for query in self.session.unanswered}
        yield from (query.id for query in selection.queries if query.id not in with_block | waiting)
        for pattern in selection.patterns:
            if not matches_of(self.session.workspace, pattern).references:
                yield pattern.id

    def go_to(self, id_: str) -> None:
        """Move the cursor to a block, if there is one with this id."""
        place = next((place for place, block in enumerate(self._blocks) if block.id == id_), None)
        if place is not None:
            self.move(place)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        row = self._row(index)
        block = row.block
        if block is None:
            name = shown.line(shown_name(row.id))
            return [(f"{index + 1:>3} ! ", "over"), (name, "over")], [(f" {row.reason} ", "over")]
        session = self.session
        pick = session.selection.document_pick(block.id) if session is not None else None
        is_found = pick is not None and pick.of is not None
        pin = "*" if block.pinned and block.id != PROMPT_ID else FOUND if is_found else " "
        style = "dim" if block.state == "dropped" else ""
        sign = "" if session is None or session.budget.counter.exact else "≈"
        width = self.size.width
        remarks = _shortened(list(_remarks(block, sign)), width - _LEAST)
        if pick is not None and pick.outline and width >= _WITH_BAR:
            remarks.insert(0, (f" {OUTLINE} ", "accent"))
        part = _part(pick) if pick is not None else ""
        if width >= (_WIDE if self._has_remarks else _WITH_PART if part else _WITH_BAR):
            hue = shown.source_style(source_of(session, block.id)) if session else "dim"
            remarks.append((f" {shown.bar(block.tokens, self._most, _BAR)}", hue))
        kind, name = ("", OWN_BLOCKS[block.id]) if block.id in OWN_BLOCKS else kind_and_name(row.id)
        left: list[Cell] = [(f"{index + 1:>3} {pin} ", "accent"), (f"{shown.line(kind)} " if kind else "", "dim")]
        # The numbers of lines at its end say what it is.
        left.append(Name(shown.line(name.removeprefix(SNIPPET)), style, yields=0.5 if part else 0))
        if part:
            left.append((f" › {shown.line(part)}", "dim"))
        return left, [*remarks, (f"{sign}{block.tokens:,}".rjust(8) + " ", style)]


def _part(pick: Pick) -> str:
    """The first picked section and the number of others, or for a whole document how many sections are left out."""
    taken = [slug for slug, is_taken in pick.marks if is_taken]
    if pick.whole:
        left_out = len(pick.marks) - len(taken)
        return f"without {plural(left_out, 'section')}" if left_out else ""
    return taken[0] + (f" + {len(taken) - 1}" if taken[1:] else "") if taken else ""


def _shortened(remarks: Sequence[tuple[tuple[str, ...], str]], room: int) -> list[Plain]:
    """The remarks shortened to their first 3, 2 or 1 parts, as many as fit `room` columns, with their styles."""
    forms = [[(f" {''.join(told[:parts])} ", style) for told, style in remarks] for parts in (3, 2, 1)]
    return next((form for form in forms if sum(len(text) for text, _ in form) <= room), forms[-1])


def _remarks(block: Block, sign: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Remarks on a block: parts, of which later ones can be left out, and a style. `sign` marks estimated tokens."""
    wanted = f"{sign}{block.wanted:,}"
    if block.secrets:
        yield (plural(block.secrets, "secret"),), "warn"
    if block.state == "dropped":
        yield ("left out", f", {wanted}"), "over"
    elif block.state == "header":
        yield ("header", f" of {wanted}", ", no text"), "warn"
    elif block.state == "cut":
        share = block.text_tokens * 100 // max(1, block.wanted_text)
        yield ("cut", f" from {wanted}", f", {share} % left"), "warn"
    elif block.pinned and block.id != PROMPT_ID:
        yield ("pinned",), "accent"
