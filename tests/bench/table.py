"""One row of the benchmark's table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity, what it should reach, what was measured, and whether that is enough."""

    quantity: str
    reach: str
    measured: str
    is_ok: bool
    raw: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"| {self.quantity} | {self.reach} | {self.measured} | {'ok' if self.is_ok else '**over**'} |"


def head() -> str:
    """The table's first two lines."""
    return "| quantity | target | measured | verdict |\n|---|---|---|---|"


def as_data(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The rows with everything that was measured, for `--json`."""
    names = ("quantity", "reach", "measured")
    return [{**{name: getattr(row, name) for name in names}, "ok": row.is_ok, "raw": row.raw} for row in rows]
