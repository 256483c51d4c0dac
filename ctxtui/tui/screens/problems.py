"""The Problems screen: problems with files by kind, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType

from ctxtui.core.base.notices import Notice, by_kind
from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.keys.keymap import bindings
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.item_rows import Drawn

# Up to this many problems are listed singly. More are grouped by kind.
_MOST = 20


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """A problem, or a kind of problem with its `count`."""

    notice: Notice
    count: int = 0


class Problems(ListScreen[ProblemRow, Notice]):
    """All problems and notes by kind. Returns the notice whose file to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("problems")
    NAME: ClassVar[str] = "problems"

    def __init__(self, problems: Sequence[Notice]) -> None:
        super().__init__()
        self._problems = problems
        self._opened = {each.code for each in problems} if len(problems) <= _MOST else set()

    def on_mount(self) -> None:
        kinds = by_kind(self._problems)
        rows = [row for kind in kinds for row in (ProblemRow(kind[0], len(kind)), *map(ProblemRow, kind))]
        # The first row is a heading.
        self.show(rows, 1 if self._opened else 0)

    @property
    def count(self) -> str:
        wrong = sum(each.is_problem for each in self._problems)
        notes = len(self._problems) - wrong
        told = plural(wrong, "problem") + (f", {plural(notes, 'note')}" if notes else "")
        return f"{super().count} · {told}" if self.typed else told

    def is_heading(self, item: ProblemRow) -> bool:
        return item.count > 0

    def kept(self, items: Sequence[ProblemRow]) -> Sequence[ProblemRow]:
        """The rows that match, or without words, the rows of the open kinds."""
        if self.typed.strip():
            return super().kept(items)
        return [row for row in items if row.count or row.notice.code in self._opened]

    def text_of(self, item: ProblemRow) -> str:
        """The text that the filter searches. A kind matches through its problems only."""
        return "" if item.count else f"{item.notice.code} {item.notice}"

    def drawn(self, item: ProblemRow) -> Drawn:
        notice = item.notice
        message = (shown.line(notice.message), "dim" if item.count else "")
        if not item.count:
            return [("    ", ""), (f"{shown.line(notice.place)}  " if notice.place else "", "accent"), message], []
        sign = "▾" if notice.code in self._opened or self.typed.strip() else "▸"
        word = "" if notice.is_problem else " (note)"
        style = "warn" if notice.is_problem else ""
        left = [(f"{sign} {notice.code}{word}  ", style)]
        return [*left, *([message] if sign == "▸" else [])], [(f" {item.count:,} ", "strong")]

    def destination(self, item: ProblemRow) -> Notice | None:
        return None if item.count else item.notice

    def detail(self, item: ProblemRow) -> str:
        more = f"\nand {item.count - 1:,} more of this kind" if item.count > 1 else ""
        return f"{item.notice}{more}"

    def nothing(self) -> str:
        return super().nothing() if self._problems else "No problems with the files of this project."

    def fold(self, is_open: bool | None) -> bool:
        """Open or close the kind under the cursor, or the kind of the problem."""
        row = self.rows.current
        if row is None or self.typed.strip() or not (row.count or is_open is False):
            return False
        code, kinds = row.notice.code, [each for each in self.all_rows if each.count]
        if is_open or (is_open is None and code not in self._opened):
            self._opened.add(code)
        else:
            self._opened.discard(code)
        kind = next(each for each in kinds if each.notice.code == code)
        self.keep(self.kept(self.all_rows).index(kind))
        return True

    def action_enter(self) -> None:
        if not self.fold(None):
            super().action_enter()

    action_problems = ListScreen.action_close
