"""The layout of the history chart: layers in eighths of cells, jumps, and labels side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from rich.cells import cell_len

from ctxtui.audit.history.history import History, Jump, Stretch
from ctxtui.core.documents.listing import AGENTS
from ctxtui.tui.names import fit_end

_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
ALL: Final = "all context"


@dataclass(frozen=True, slots=True)
class Curve:
    """Tokens over the commits: of all context by source, or of one agent at its start."""

    name: str
    layers: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def values(self) -> list[int]:
        return [sum(values) for values in zip(*(values for _, values in self.layers), strict=True)]

    def jumps(self, count: int) -> list[tuple[int, int]]:
        """The positions and added tokens of the `count` largest changes, negative ones included, largest first."""
        changes = ((place, after - before) for place, (before, after) in enumerate(pairwise(self.values), 1))
        return sorted((each for each in changes if each[1]), key=lambda each: -abs(each[1]))[:count]


@dataclass(frozen=True, eq=False)
class Growth:
    """The commits that changed something, oldest first, the curves over them, and each commit's changes of files."""

    points: tuple[Stretch, ...] = ()
    curves: tuple[Curve, ...] = ()
    jumps: dict[str, list[Jump]] | None = None

    def changes_in(self, commit: str) -> list[Jump]:
        """The changes of files in a commit, largest first."""
        return sorted((self.jumps or {}).get(commit, ()), key=lambda jump: -abs(jump.tokens))


def growth_of(history: History, sources: Iterable[str]) -> Growth:
    """The curves of a history: all context by the given sources, then each agent, the largest start first."""
    points = tuple(history.stretches())
    names = [source for source in sources if any(point.costs.sources.get(source) for point in points)]
    layers = tuple((name, tuple(point.costs.sources.get(name, 0) for point in points)) for name in names)
    agents = {agent for point in points for agent, tokens in point.costs.starts.items() if tokens}
    starts = {agent: tuple(point.costs.starts.get(agent, 0) for point in points) for agent in agents}
    ordered = sorted(starts, key=lambda agent: (-starts[agent][-1], agent))
    jumps: dict[str, list[Jump]] = {}
    for jump in history.jumps():
        jumps.setdefault(jump.commit.id, []).append(jump)
    curves = (Curve(ALL, layers), *(Curve(agent, ((AGENTS, starts[agent]),)) for agent in ordered))
    return Growth(points, curves if points and layers else (), jumps)


def point_at(column: int, count: int, width: int) -> int:
    """The index of the point in a column, if `count` points are drawn in `width` columns. The last one of several."""
    return max(0, min(count - 1, ((column + 1) * count - 1) // max(1, width)))


def columns_of(point: int, count: int, width: int) -> range:
    """The columns of a point (by index), if `count` points are drawn in `width` columns. At least one column."""
    start = point * width // max(1, count)
    return range(start, max(start + 1, (point + 1) * width // max(1, count)))


class AreaCell(NamedTuple):
    """A cell of the area: its character, its layer, and the layer behind, None for no layer."""

    text: str
    front: int | None
    behind: int | None = None


def floor_of(values: Sequence[int]) -> int:
    """The tokens at the bottom of an axis: 0, or close below values that differ little, so that growth shows."""
    least, most = min(values, default=0), max(values, default=0)
    if least * 2 <= most or least == most:
        return 0
    unit = int("1".ljust(len(str(most - least)), "0"))
    return max(0, least - (most - least) // 4) // unit * unit


def stack(values: Sequence[int], most: int, height: int, least: int = 0) -> list[AreaCell]:
    """The cells of a column, bottom up: the tokens of each layer, from `least` to `most` on `height` cells."""
    scale = height * 8 / max(1, most - least)
    edges = [max(0, round((total - least) * scale)) for total in accumulate(values)]
    return [_block(edges, row * 8) for row in range(height)]


def _block(edges: Sequence[int], bottom: int) -> AreaCell:
    """The cell from `bottom` to 8 above, in eighths. Layers end at `edges`. A cell not full shows the largest."""
    parts = [max(0, min(edge, bottom + 8) - max(below, bottom)) for below, edge in pairwise([0, *edges])]
    filled = sum(parts)
    if not filled:
        return AreaCell(" ", None)
    if filled < 8:
        return AreaCell(_BLOCKS[filled], parts.index(max(parts)))
    seen = [layer for layer, part in enumerate(parts) if part]
    return AreaCell(_BLOCKS[parts[seen[0]]], seen[0], seen[-1] if len(seen) > 1 else None)


class JumpLabel(NamedTuple):
    """A change in tokens and its commit, on a line from a column on. The change comes first or last."""

    line: int
    column: int
    change: str
    commit: str
    is_change_first: bool

    @property
    def end(self) -> int:
        return self.column + len(self.change) + 1 + cell_len(self.commit)


def place_labels(marks: Sequence[tuple[int, str, str]], width: int, lines: int, most: int) -> Iterator[JumpLabel]:
    """The labels of marks (column, change, commit), most important first, as many as fit in `lines` lines.

    The change is below its mark: the label begins with the change, or ends with it if the room is at the left. A
    label has at most `most` columns, and only the commit is cut.
    """
    taken: list[list[range]] = [[] for _ in range(lines)]
    for column, change, commit in marks:
        told = fit_end(commit, min(most, width) - len(change) - 1)
        length = cell_len(told) + len(change) + 1
        for is_first, start in ((True, column), (False, column - length + 1)):
            # A blank column between labels.
            room = range(start - 1, start + length + 1)
            if start < 0 or start + length > width:
                continue
            free = (
                line
                for line in range(lines)
                if all(each.stop <= room.start + 1 or room.stop - 1 <= each.start for each in taken[line])
            )
            line = next(free, None)
            if line is not None:
                taken[line].append(room)
                yield JumpLabel(line, start, change, told, is_first)
                break
