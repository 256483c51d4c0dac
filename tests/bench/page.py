"""Writes what was measured to the page of the benchmarks."""

from collections.abc import Sequence
from pathlib import Path

from tests.bench.table import Row, head

PAGE = Path(__file__).parents[2] / "ctxtui" / "docs" / "benchmarks.md"
MEASURED = "## Measured\n"


def written(page: str, rows: Sequence[Row], about: Sequence[str]) -> str:
    """The page with a new table; what stands before it stays."""
    before, heading, _ = page.partition(MEASURED)
    if not heading:
        raise SystemExit(f"{PAGE.name} has no line {MEASURED.strip()!r}")
    lines = "\n".join(f"- {line}" for line in about)
    table = "\n".join([head(), *map(str, rows)])
    return f"{before}{heading}\nWritten by `python -m tests.bench --write`.\n\n{lines}\n\n{table}\n"


def write(rows: Sequence[Row], about: Sequence[str]) -> None:
    """Put the table into the page."""
    PAGE.write_text(written(PAGE.read_text("utf-8"), rows, about), "utf-8")
