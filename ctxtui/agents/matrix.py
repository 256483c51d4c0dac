"""The matrix of files and agents: when each file reaches each agent, and at which cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ctxtui.agents.costs import AgentContext, Charge
from ctxtui.agents.types import LISTED, MOMENTS


@dataclass(frozen=True, slots=True)
class Cell:
    """The earliest moment at which one file reaches one agent, its tokens then, and its tokens at the start."""

    moment: str
    tokens: int | None
    start_tokens: int
    lost_tokens: int


@dataclass(frozen=True, slots=True)
class Line:
    """One file, with a cell for each agent, or None for an agent that never meets it."""

    path: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The agents, by id, and a line for every file that any agent meets, sorted by path."""

    agents: tuple[str, ...]
    lines: tuple[Line, ...]


def compare(contexts: Sequence[AgentContext], name_of: Callable[[str], str] = str) -> Matrix:
    """All files by all agents. Paths with the same `name_of` share a line of that name."""
    columns = [_column(context, name_of) for context in contexts]
    paths = sorted({path for column in columns for path in column})
    lines = tuple(Line(path, tuple(column.get(path) for column in columns)) for path in paths)
    return Matrix(tuple(context.agent.id for context in contexts), lines)


def _column(context: AgentContext, name_of: Callable[[str], str]) -> dict[str, Cell]:
    by_path: dict[str, list[Charge]] = {}
    for charge in context.charges:
        by_path.setdefault(name_of(charge.path), []).append(charge)
    return {path: _cell(charges) for path, charges in by_path.items()}


def _cell(charges: Sequence[Charge]) -> Cell:
    moment = min((charge.moment for charge in charges), key=MOMENTS.index)
    tokens = [_entering(charge) for charge in charges if charge.moment == moment]
    return Cell(
        moment,
        sum(each or 0 for each in tokens) if any(each is not None for each in tokens) else None,
        sum(charge.start_tokens for charge in charges),
        sum(charge.lost_tokens for charge in charges),
    )


def _entering(charge: Charge) -> int | None:
    """The tokens that enter at the moment of a charge. A listed file counts its list entry."""
    if charge.moment in LISTED:
        return charge.start_tokens
    return charge.touch_tokens if charge.moment == "touch" and charge.entry else charge.tokens
