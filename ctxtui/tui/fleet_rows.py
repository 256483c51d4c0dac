"""The table of a fleet: columns by screen width, orders, and the text below the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from ctxtui.audit.types import SEVERITIES, SPOKEN
from ctxtui.core.base.wording import byte_size, plural
from ctxtui.fleet.overview import RepositoryRow
from ctxtui.tui import shown
from ctxtui.tui.names import Name, Plain, fit_end
from ctxtui.tui.widgets.rows import Drawn

_NONE: Final = "·"
_BAR: Final = 16
_COMMIT: Final = 7


class _Column(NamedTuple):
    """A column. `width` includes the space before it, `least` is the smallest screen width that shows it.

    `order` is the order by this column. `cell` is computed from a row and the largest start of all rows.
    """

    order: str
    title: str
    width: int
    least: int
    cell: Callable[[RepositoryRow, int], Plain]
    is_left: bool = False


def _number(value: int, style: str = "") -> Plain:
    return (f"{value:,}", style) if value else (_NONE, "dim")


def _change(row: RepositoryRow, _largest: int) -> Plain:
    if row.change is None:
        return "new", "dim"
    if not row.change:
        return _NONE, "dim"
    return f"{row.change:+,}", "warn" if row.change > 0 else "good"


_COLUMNS: Final = (
    _Column("", "commit", 10, 100, lambda row, _: (shown.line(row.kept.commit)[:_COMMIT], "dim"), True),
    _Column(
        "", "agent", 18, 90, lambda row, _: (shown.line(row.agents[0].agent), "") if row.agents else ("", ""), True
    ),
    _Column("start", "start", 11, 0, lambda row, _: _number(row.start, "strong")),
    _Column("", "", _BAR + 2, 140, lambda row, largest: (shown.bar(row.start, largest, _BAR), "accent"), True),
    _Column("change", "change", 11, 50, _change),
    _Column("tokens", "tokens", 12, 70, lambda row, _: _number(row.kept.tokens)),
    _Column("", "files", 8, 120, lambda row, _: _number(row.kept.files)),
    _Column("findings", "errors", 9, 36, lambda row, _: _number(row.findings.get("error", 0), "over")),
    _Column("", "warn.", 7, 36, lambda row, _: _number(row.findings.get("warning", 0), "warn")),
    _Column("", "notes", 7, 76, lambda row, _: _number(row.findings.get("info", 0), "note")),
)


ORDERS: Final[Mapping[str, Callable[[RepositoryRow], Any]]] = {
    "start": lambda row: (-row.start, -row.kept.tokens),
    "change": lambda row: (row.change is None, -(row.change or 0)),
    "findings": lambda row: tuple(-row.findings.get(severity, 0) for severity in SEVERITIES),
    "tokens": lambda row: -row.kept.tokens,
    "error": lambda row: not row.kept.error,
    "name": lambda _: 0,
}
"""The orders of the table. Ties are sorted by name."""


def ordered(rows: Sequence[RepositoryRow], order: str) -> list[RepositoryRow]:
    return sorted(rows, key=lambda row: (ORDERS[order](row), row.kept.name))


def titles(width: int, order: str, has_before: bool) -> list[Plain]:
    """The cells of the title line. The column of `order` has a mark. `has_before` adds changes since the last run."""
    columns = _shown_columns(width, has_before)
    left = "repository"
    if order == "error":
        left += " ▼ (failed first)"
    elif order == "name":
        left += " ▲"
    room = _name_width(width, columns)
    cells: list[Plain] = [(set_cell_size(left, room), "dim")]
    for column in columns:
        is_sorted = column.order == order
        title = f"▼{column.title}" if is_sorted else column.title
        cells.append((_aligned(title, column), "accent" if is_sorted else "dim"))
    return cells


def row_cells(row: RepositoryRow, width: int, largest: int, has_before: bool) -> Drawn:
    """The cells of a repository. An error takes the place of the numbers."""
    columns = _shown_columns(width, has_before)
    name = Name(shown.line(row.kept.name), "" if row.agents or row.kept.error else "dim")
    if row.kept.error:
        room = width - _name_width(width, columns) - 2
        return [name], [(f"  {fit_end(shown.line(row.kept.error), room)}", "over")]
    cells = [(column, column.cell(row, largest)) for column in columns]
    return [name], [(_aligned(text, column), style) for column, (text, style) in cells]


def detail(row: RepositoryRow) -> str:
    """All details of a repository, in a few lines."""
    kept = row.kept
    commit = f" · {shown.line(kept.commit)[:12]}" if kept.commit else ""
    first = f"{shown.line(kept.name)} · {shown.line(kept.place)}{commit} · {kept.seconds:.1f} s"
    if kept.error:
        return f"{first}\n{kept.error}"
    found = ", ".join(plural(row.findings[each], SPOKEN[each]) for each in SEVERITIES if row.findings.get(each))
    sizes = f"{plural(kept.files, 'file')}, {plural(kept.tokens, 'token')}, {byte_size(kept.bytes)}"
    change = "" if row.change is None else f" · start {row.change:+,} since the run before"
    agents = " · ".join(
        f"{agent.agent} {agent.start:,}"
        + (f" ({agent.home:,} from home)" if agent.home else "")
        + (f", {agent.lost:,} cut off" if agent.lost else "")
        for agent in row.agents
    )
    return f"{first}\n{sizes} · {found or 'no findings'}{change}\nstarts: {agents or 'no agent found'}"


def search_text(row: RepositoryRow) -> str:
    kept = row.kept
    return " ".join((kept.name, kept.place, kept.commit, kept.error, *(agent.agent for agent in row.agents)))


def _shown_columns(width: int, has_before: bool) -> list[_Column]:
    """The columns that fit a screen width, without that of changes if there is no earlier run."""
    return [each for each in _COLUMNS if width >= each.least and (has_before or each.order != "change")]


def _name_width(width: int, columns: Sequence[_Column]) -> int:
    return max(0, width - sum(column.width for column in columns))


def _aligned(text: str, column: _Column) -> str:
    text = fit_end(text, column.width - 2)
    filling = " " * (column.width - cell_len(text) - 2)
    return f"  {text}{filling}" if column.is_left else f"  {filling}{text}"
