"""The rows of Start: agents with what they load, and the largest files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxtui.agents import Start
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.wording import plural
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.widgets.rows import Cell, Rows

if TYPE_CHECKING:
    from ctxtui.audit.prices import Money


@dataclass(frozen=True, slots=True)
class StartRow:
    """A row of the Start list: a heading, or an item that `enter` picks: documents, or the start of an agent."""

    text: str
    remark: str = ""
    ids: tuple[str, ...] = ()
    style: str = ""
    start: Start | None = None

    @property
    def is_item(self) -> bool:
        """Whether there is anything to pick."""
        return bool(self.ids) or self.start is not None


class StartList(Rows):
    """What each agent loads at the start, and the largest files; `enter` picks them."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: list[StartRow] = []

    def show(self, rows: list[StartRow]) -> None:
        """Show other rows; the cursor stays, or starts on the first row that can be picked."""
        first = next((place for place, row in enumerate(rows) if row.is_item), 0)
        cursor = self.cursor if self.rows else first
        self.rows = rows
        self.set_count(len(rows), cursor)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Text and remark."""
        row = self.rows[index]
        return [(shown.line(row.text), row.style)], [(f" {row.remark} ", "")]


def start_rows(
    session: Session,
    starts: Sequence[Start],
    large: Sequence[tuple[Reference, int]],
    looked_for: str,
    cwd: str = "",
    longer: Sequence[str] = (),
    money: Money | None = None,
) -> list[StartRow]:
    """The Start list of a workspace; `cwd` is the folder where agents start, `longer` names longer starts.

    `money` has the dollars of each start, if a model is chosen.
    """
    counter = session.budget.counter
    dollars = {each.name: each.told for each in money.expenses} if money else {}
    rows: list[StartRow] = []
    if starts:
        where = f" in {cwd}/" if cwd else ""
        rows.append(StartRow(f"What agents load at the start{where} (enter picks it)", style="strong"))
        for start in starts:
            files = plural(len(start.paths), "file")
            tokens = f"{start.known:,}" if start.whole else shown.number(start.tokens, counter)
            remark = f"{files:>9}  {tokens:>8}"
            rows.append(StartRow(f"  {start.name}", remark, start=start))
            rows += [StartRow(f"    cut: {text}", style="warn", start=start) for text in start.cuts]
            told = (
                start.how_known,
                dollars.get(start.agent, ""),
                start.from_home,
                start.later,
                start.in_subagents,
                *start.versions,
                start.left_out,
            )
            told += start.published
            rows += [StartRow(f"    {text}", style="dim", start=start) for text in told if text]
        rows += [StartRow(f"  {money.edition}", style="dim")] if money else []
        rows += [
            StartRow(f"  longest start: {text}", style="warn" if ", over " in text else "dim") for text in longer
        ]
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
