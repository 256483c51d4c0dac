"""The matrix as a heat map: files by agents, warmer for more tokens. Names and heads stay on the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from textual import events

from ctxtui.agents import AgentContext, Cell, compare
from ctxtui.core.base.wording import plural
from ctxtui.core.documents.listing import AGENTS, PLAIN
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.tui import shown
from ctxtui.tui.names import fit
from ctxtui.tui.widgets.picture import Picture, StyledText

STEPS: Final = 5
LETTERS: Final = {"start": "S", "configured": "C", "listed": "L", "subagent": "A", "touch": "T", "manual": "M"}
LEGEND: Final = "S start  C configured  L listed  A subagent  T touch  M manual  · free  ! cut"

# The share of the hue at each step of heat.
_HEAT: Final = (0.0, 0.18, 0.34, 0.52, 0.72, 0.95)
# The lines of numbers, letters, and the two of the agents.
_HEADS: Final = 4
_COLUMN: Final = 10
_WIDEST: Final = 16
# The columns before and behind a name.
_MARGIN: Final = 5
_SUM: Final = 10


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A file: one cell per agent (None if the agent never reads it), and the tokens of all cells.

    A file outside the project has no `id`.
    """

    path: str
    id: str
    source: str
    cells: tuple[Cell | None, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Agents by files, most tokens first. `most` is the tokens of the largest cell."""

    agents: tuple[str, ...] = ()
    rows: tuple[HeatRow, ...] = ()
    most: int = 0


def heat_map(contexts: Sequence[AgentContext], known: Mapping[str, Reference]) -> HeatMap:
    """The matrix of the agents that read anything. A file is one row, whatever links lead to it."""
    used = [each for each in contexts if each.charges]
    matrix = compare(used, lambda path: known[path].path if path in known else path)
    rows = []
    for line in matrix.lines:
        id_, source = (known[line.path].id, known[line.path].source) if line.path in known else ("", AGENTS)
        rows.append(HeatRow(line.path, id_, source, line.cells, sum(map(tokens_of, line.cells))))
    most = max((tokens_of(cell) for row in rows for cell in row.cells), default=0)
    return HeatMap(matrix.agents, tuple(sorted(rows, key=lambda row: (-row.tokens, row.path))), most)


def letter_of(cell: Cell) -> str:
    """The letter of a moment, a dot for moments without cost."""
    return LETTERS.get(cell.moment, "·")


def tokens_of(cell: Cell | None) -> int:
    """The tokens of a cell, 0 for moments without cost."""
    return (cell.tokens or 0) if cell is not None and letter_of(cell) != "·" else 0


def step_of(tokens: int, most: int) -> int:
    """The step of heat from 0 (nothing) to `STEPS` (the most), on a logarithmic scale."""
    if tokens <= 0:
        return 0
    return min(STEPS, 1 + int(STEPS * log(tokens) / log(most))) if most > 1 else STEPS


def bounds(most: int) -> list[int]:
    """The upper bound of tokens of each step of heat."""
    return [max(1, int(most ** (step / STEPS))) for step in range(1, STEPS + 1)]


def columns(count: int, first: int, current: int, width: int, column: int) -> range:
    """The indices of the columns that fit `width`, from `first` on, shifted as far as `current` needs to show."""
    fit = max(1, min(count, width // column))
    first = max(0, min(first, count - fit))
    if current < first:
        first = current
    elif current >= first + fit:
        first = current - fit + 1
    return range(first, min(count, first + fit))


def head_lines(name: str, width: int) -> tuple[str, str]:
    """A name in two lines of `width` columns, cut if it is longer. The first is empty if one line is enough."""
    if len(name) <= width:
        return "", name
    first, sign, last = name.partition("-")
    if not sign or len(first) + 1 > width:
        return name[:width], name[width : 2 * width]
    return f"{first}-", last if len(last) <= width else f"{last[: width - 1]}…"


class Heat(Picture):
    """Shows a heat map with a cursor on a cell, in the hues of the sources. `mark_of` returns the mark of an id."""

    def __init__(self, mark_of: Callable[[str], str], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._mark_of = mark_of
        self._map = HeatMap()
        self._longest = 0
        self._row, self._column = 0, 0
        # The first row and column on the screen.
        self._top, self._first = 0, 0

    def show(self, heat: HeatMap) -> None:
        """Show another heat map. The cursor stays at its row and column, if they exist."""
        self._map = heat
        self._longest = max((cell_len(shown.line(row.path)) for row in heat.rows), default=0) + _MARGIN
        self._go(self._row, self._column)

    @property
    def target(self) -> str:
        rows = self._map.rows
        return rows[self._row].id if rows else ""

    @property
    def detail(self) -> str:
        if not self._map.rows:
            return "no agent reads a file here"
        row, agent = self._map.rows[self._row], self._map.agents[self._column]
        cell = row.cells[self._column]
        told = f"{agent} never meets it"
        if cell is not None:
            tokens = f", {plural(tokens_of(cell), 'token')}" if tokens_of(cell) else ""
            cut = f", {cell.lost_tokens:,} cut" if cell.lost_tokens else ""
            told = f"{agent}: {cell.moment}{tokens}{cut}"
        others = [
            f"{name} {each.moment}" + (f" {tokens_of(each):,}" if tokens_of(each) else "")
            for name, each in zip(self._map.agents, row.cells, strict=True)
            if each is not None and name != agent
        ]
        also = f"also {', '.join(others)}" if others else "no other agent meets it"
        return f"{row.path}\n{told}\n{also}"

    def _names_width(self) -> int:
        """A third of the screen, or what its widest cells leave over, but no more than the longest name needs."""
        left = self.size.width - self._sum - _WIDEST * len(self._map.agents)
        return max(16, min(self._longest, max(left, self.size.width // 3)))

    @property
    def _sum(self) -> int:
        return _SUM if self.size.width >= 100 else 0

    @property
    def _room(self) -> int:
        return self.size.width - self._names_width() - self._sum

    @property
    def _cell_width(self) -> int:
        return max(_COLUMN, min(_WIDEST, self._room // max(1, len(self._map.agents))))

    def _shown_columns(self) -> range:
        return columns(len(self._map.agents), self._first, self._column, self._room, self._cell_width)

    def line(self, y: int) -> Iterator[StyledText]:
        if y == 0:
            yield from self._legend()
        elif y == 1:
            yield f" {LEGEND}", self.ink("dim")
        elif y < _HEADS:
            yield from self._heads(y - 2)
        elif y - _HEADS + self._top < len(self._map.rows):
            yield from self._cells(y - _HEADS + self._top)

    def _legend(self) -> Iterator[StyledText]:
        shown_columns = self._shown_columns()
        left, right = shown_columns.start, len(self._map.agents) - shown_columns.stop
        size = f"{plural(len(self._map.rows), 'file')} by {plural(len(self._map.agents), 'agent')}"
        yield f" {size}   ", self.ink("strong")
        if self.size.width >= 80:
            lower = 1
            for step, upper in enumerate(bounds(self._map.most), 1):
                yield f" {lower:,}–{upper:,} ", self.tone(_hue(AGENTS), _HEAT[step])
                lower = upper + 1
        yield "   ", Style()
        if left or right:
            yield f"‹ {left} more  " if left else "", self.ink("accent")
            yield f"{right} more ›" if right else "", self.ink("accent")

    def _heads(self, line: int) -> Iterator[StyledText]:
        width = self._names_width()
        yield (" " * width), Style()
        for place in self._shown_columns():
            text = head_lines(self._map.agents[place], self._cell_width - 1)[line]
            style = self.ink("strong") + (Style(underline=line == 1) if place == self._column else Style())
            yield f"{text:>{self._cell_width}}", style
        if self._sum:
            yield f"{'all' if line else '':>{_SUM}}", self.ink("dim")

    def _cells(self, index: int) -> Iterator[StyledText]:
        row, is_current = self._map.rows[index], index == self._row
        width = self._names_width()
        source = row.source
        mark = self._mark_of(row.id).replace("○", " ")
        lead = f"{'>' if is_current else ' '}{mark or ' '}"
        yield lead, self.ink("strong")
        name = fit(shown.line(row.path), width - _MARGIN)
        yield f"{shown.SOURCES.get(source, ' ')} ", self.ink(_hue(source))
        yield name + " " * (width - _MARGIN + 1 - cell_len(name)), self.ink("strong") if is_current else Style()
        for place in self._shown_columns():
            yield from self._cell(row.cells[place], source, is_current and place == self._column)
        if self._sum:
            yield f"{row.tokens:>{_SUM},}", self.ink("dim")

    def _cell(self, cell: Cell | None, source: str, is_cursor: bool) -> Iterator[StyledText]:
        """The letter and tokens of a cell on its heat, with `!` for a cut text."""
        text, step = "", 0
        if cell is not None:
            tokens = tokens_of(cell)
            step = step_of(tokens, self._map.most)
            text = f"{letter_of(cell)} {tokens:,}" if tokens else letter_of(cell)
            text += "!" if cell.lost_tokens else ""
        style = (
            self.ink("pointer") if is_cursor else self.tone(_hue(source), _HEAT[step]) if step else self.ink("dim")
        )
        sign = ">" if is_cursor else " "
        yield " ", Style()
        width = self._cell_width
        yield f"{sign}{text:>{width - 2}}"[: width - 1], style

    def _go(self, row: int, column: int) -> None:
        old = (self._row, self._top, self._first)
        self._row = max(0, min(row, len(self._map.rows) - 1))
        self._column = max(0, min(column, len(self._map.agents) - 1))
        height = max(1, self.size.height - _HEADS)
        self._top = max(0, min(self._top, self._row), self._row - height + 1)
        self._first = self._shown_columns().start
        if (self._top, self._first) == old[1:]:
            for each in {old[0], self._row}:
                self.refresh_line(each - self._top + _HEADS)
            self.refresh_line(2, _HEADS - 1)
        else:
            self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        self._go(self._row, self._column)

    def step(self, dx: int, dy: int) -> None:
        self._go(self._row + dy, self._column + dx)

    def leap(self, direction: int, is_end: bool) -> None:
        far = len(self._map.rows) if is_end else max(1, self.size.height - _HEADS - 1)
        self._go(self._row + direction * far, self._column)

    def action_enter(self) -> None:
        if self._map.rows:
            super().action_enter()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._go(self._row - 3, self._column)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._go(self._row + 3, self._column)

    def click(self, x: int, y: int, is_double: bool) -> None:
        """Go to a cell. A click on a head goes to the agent, a double click opens the file."""
        place = (x - self._names_width()) // self._cell_width
        shown_columns = self._shown_columns()
        column = shown_columns[place] if 0 <= place < len(shown_columns) else self._column
        row = y - _HEADS + self._top if y >= _HEADS else self._row
        if row < len(self._map.rows):
            self._go(row, column)
            if is_double and y >= _HEADS:
                self.action_enter()


def _hue(source: str) -> str:
    """The hue of a source. Files outside the project have that of plain files."""
    return shown.source_style(source if source in shown.SOURCES else PLAIN)
