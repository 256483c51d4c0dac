"""How time and memory of `ls` grow with the number of files, measured and drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.corpus import corpus_of
from tests.bench.counts import Corpus, listing_runs
from tests.bench.processes import Run, middle, warm_pages
from tests.bench.table import Row

SIZES = "1000,3000,10000,30000,100000"
PICTURE = Path(__file__).parents[2] / "screenshots" / "growth.svg"
_WIDTH, _HEIGHT = 400, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 40, 44
# Legible on light and on dark.
_INK, _COLD, _WARM = "#767676", "#d9730d", "#2383c4"


_Measure = Callable[[Run], float]


@dataclass(frozen=True, slots=True)
class Point:
    """What `ls` takes with that many files, cold and warm."""

    files: int
    cold: Run
    warm: Run


def measure(sizes: Sequence[int]) -> Iterator[tuple[Row, Point]]:
    """One row and one point for each size."""
    for size in sizes:
        corpus = Corpus(corpus_of(size))
        warm_pages(corpus.folder)
        cold, warm = (middle(runs) for runs in listing_runs(corpus.folder, corpus.times))
        files = len(corpus.listed)
        measured = f"cold {cold}; warm {warm}"
        row = Row(f"growth: `ls`, {files:,} files", "", measured, True, {"cold": cold.raw, "warm": warm.raw})
        yield row, Point(files, cold, warm)


def drawn(points: Sequence[Point]) -> str:
    """The picture: seconds beside megabytes, all scales logarithmic."""
    clock, processor, memory = (lambda run: run.wall), (lambda run: run.cpu), (lambda run: run.peak / 1e6)
    panels = (
        _panel(0, "ls: seconds (dotted: of the processors)", points, [(clock, ""), (processor, "2 4")]),
        _panel(_WIDTH, "ls: peak memory, MB", points, [(memory, "")]),
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH} {_HEIGHT}" role="img"'
        f' font-family="sans-serif" font-size="12" fill="{_INK}">\n'
        f"<title>Time and memory of ls by the number of files</title>\n{''.join(panels)}</svg>\n"
    )


def _panel(left: int, title: str, points: Sequence[Point], measures: Sequence[tuple[_Measure, str]]) -> str:
    values = [of(run) for point in points for run in (point.cold, point.warm) for of, _ in measures]
    across = _Scale([point.files for point in points], left + _LEFT, left + _WIDTH - _RIGHT)
    up = _Scale(values, _HEIGHT - _BOTTOM, _TOP)
    parts = [_text(left + _LEFT, 20, title, "start")]
    for value, y in up.marks():
        parts.append(_line([(across.start, y), (across.end, y)], _INK, 0.4))
        parts.append(_text(across.start - 6, y + 4, f"{value:,g}", "end"))
    for value, x in across.marks():
        parts.append(_line([(x, up.start), (x, up.end)], _INK, 0.4))
        parts.append(_text(x, up.start + 18, f"{value:,.0f}", "middle"))
    parts.append(_text((across.start + across.end) / 2, up.start + 36, "files", "middle"))
    for name, color, below in (("cold", _COLD, -8), ("warm", _WARM, 18)):
        for of, dashes in measures:
            places = [(across(point.files), up(of(getattr(point, name)))) for point in points]
            parts.append(_line(places, color, 2, dashes))
            if not dashes:
                parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>\n' for x, y in places]
                parts.append(_text(places[-1][0], places[-1][1] + below, name, "end", color))
    return "".join(parts)


class _Scale:
    """Places values on a line, logarithmically."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.start, self.end = start, end
        self._low = math.floor(math.log10(min(values)) * 2) / 2
        self._high = math.ceil(math.log10(max(values)) * 2) / 2

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self._low) / ((self._high - self._low) or 1)
        return self.start + share * (self.end - self.start)

    def marks(self) -> list[tuple[float, float]]:
        """Round values on the line, and their places."""
        powers = range(math.floor(self._low), math.ceil(self._high) + 1)
        values = [digit * 10.0**power for power in powers for digit in (1, 3)]
        margin = 0.03
        return [
            (value, self(value)) for value in values if self._low - margin <= math.log10(value) <= self._high + margin
        ]


def _line(places: Sequence[tuple[float, float]], color: str, width: float, dashes: str = "") -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    drawn = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{joined}" fill="none" stroke="{color}" stroke-width="{width}"{drawn}/>\n'


def _text(x: float, y: float, text: str, anchor: str, color: str = _INK) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{text}</text>\n'
