"""The layout of the matrix: each cell's letter, tokens and step of heat, and the columns that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from ctxtui.agents import AgentContext, Cell, compare

STEPS: Final = 5
LETTERS: Final = {"start": "S", "configured": "C", "listed": "L", "subagent": "A", "touch": "T", "manual": "M"}
LEGEND: Final = "S start  C configured  L listed  A subagent  T touch  M manual  · free  ! cut"


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A file: one cell per agent (None if the agent never reads it), and the tokens of all cells."""

    path: str
    cells: tuple[Cell | None, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Agents by files, most tokens first. `most` is the tokens of the largest cell."""

    agents: tuple[str, ...] = ()
    rows: tuple[HeatRow, ...] = ()
    most: int = 0


def heat_map(contexts: Sequence[AgentContext], name_of: Callable[[str], str] = str) -> HeatMap:
    """The matrix of the agents that read anything. Paths with the same `name_of` are one file."""
    matrix = compare([each for each in contexts if each.charges], name_of)
    rows = [HeatRow(line.path, line.cells, sum(map(tokens_of, line.cells))) for line in matrix.lines]
    most = max((tokens_of(cell) for row in rows for cell in row.cells), default=0)
    return HeatMap(matrix.agents, tuple(sorted(rows, key=lambda row: (-row.tokens, row.path))), most)


def letter_of(cell: Cell) -> str:
    """The letter of a moment, a dot for moments without cost."""
    return LETTERS.get(cell.moment, "·")


def tokens_of(cell: Cell | None) -> int:
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


def heads(name: str, width: int) -> tuple[str, str]:
    """A name in two lines of `width` columns, cut if it is longer. The first is empty if one line is enough."""
    if len(name) <= width:
        return "", name
    first, sign, last = name.partition("-")
    if not sign or len(first) + 1 > width:
        return name[:width], name[width : 2 * width]
    return f"{first}-", last if len(last) <= width else f"{last[: width - 1]}…"
