"""The table of the benchmarks, and their page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PAGE = Path(__file__).parents[2] / "ctxtui" / "docs" / "benchmarks.md"
MEASURED = "## Measured\n"


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity, what it should reach and what would be better still, what was measured, and the verdict."""

    quantity: str
    reach: str
    measured: str
    is_ok: bool
    raw: dict[str, object] = field(default_factory=dict)
    goal: str = ""
    is_goal: bool = False

    @property
    def verdict(self) -> str:
        """Whether what was measured is enough; empty if nothing was wanted."""
        if self.is_goal:
            return "goal"
        if self.is_ok:
            return "ok" if self.reach else ""
        return "**over**"

    def __str__(self) -> str:
        return f"| {self.quantity} | {self.reach} | {self.goal} | {self.measured} | {self.verdict} |"


@dataclass(frozen=True, slots=True)
class Limit:
    """What a quantity must not pass, and what would be better still."""

    reach: float
    goal: float | None = None
    unit: str = "× REF"

    def row(self, quantity: str, value: float, measured: str, raw: dict[str, object], is_right: bool = True) -> Row:
        goal = "" if self.goal is None else f"{self.goal:g} {self.unit}"
        is_goal = is_right and self.goal is not None and value <= self.goal
        reach = f"≤ {self.reach:g} {self.unit}"
        return Row(quantity, reach, measured, is_right and value <= self.reach, raw, goal, is_goal)


def head() -> str:
    return "| quantity | target | goal | measured | verdict |\n|---|---|---|---|---|"


def as_data(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The rows with everything that was measured, for `--json`."""
    names = ("quantity", "reach", "goal", "measured")
    return [{**{name: getattr(row, name) for name in names}, "ok": row.is_ok, "raw": row.raw} for row in rows]


def written(page: str, rows: Sequence[Row], about: Sequence[str]) -> str:
    """The page of the benchmarks with a new table; what stands before it stays."""
    before, heading, _ = page.partition(MEASURED)
    if not heading:
        raise SystemExit(f"{PAGE.name} has no line {MEASURED.strip()!r}")
    lines = "\n".join(f"- {line}" for line in about)
    table = "\n".join([head(), *map(str, rows)])
    return f"{before}{heading}\nWritten by `python -m tests.bench --write`.\n\n{lines}\n\n{table}\n"
