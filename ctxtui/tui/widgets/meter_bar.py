"""The layout of the meter's bar: the columns of each part of the payload, the limit, and the excess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

# If there are more blocks, the blocks of one source share a segment.
MOST_BLOCKS: Final = 12


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of the payload on the bar. `id` is the destination of a click."""

    id: str
    source: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """The columns of a part, from `start` up to but without `end`."""

    part: BarPart
    start: int
    end: int

    @property
    def width(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of `width` columns: its stretches, the column of the limit, and the end of the left-out tokens."""

    width: int
    stretches: tuple[Stretch, ...]
    limit: int | None
    beyond: int

    @property
    def end(self) -> int:
        """The first column after the parts."""
        return self.stretches[-1].end if self.stretches else 0

    def at(self, column: int) -> BarPart | None:
        return next((each.part for each in self.stretches if each.start <= column < each.end), None)


def lay_out(parts: Sequence[BarPart], wanted: int, limit: int | None, width: int) -> Bar:
    """The bar of a payload that had `wanted` tokens before it was cut to the `limit`.

    The whole width is the limit, or `wanted` if that is more. Every part with tokens has at least one column if there
    are enough columns.
    """
    parts = [part for part in parts if part.tokens]
    tokens = sum(part.tokens for part in parts)
    scale = max(wanted, tokens, limit or 0, 1)
    filled = _columns(tokens, scale, width)
    stretches = _share(parts, max(filled, min(len(parts), width)))
    end = stretches[-1].end if stretches else 0
    mark = None if limit is None else min(width - 1, max(_columns(limit, scale, width), 0))
    beyond = max(end, _columns(wanted, scale, width)) if wanted > tokens else end
    return Bar(width, stretches, mark, beyond)


def _columns(tokens: int, scale: int, width: int) -> int:
    return round(tokens * width / scale)


def _share(parts: Sequence[BarPart], columns: int) -> tuple[Stretch, ...]:
    """The columns of the parts, by tokens but at least one each. If columns are few, only the first parts get any."""
    seen = parts[:columns]
    rest = columns - len(seen)
    sums = [0, *accumulate(part.tokens for part in seen)]
    ends = [round(total * rest / max(1, sums[-1])) + place for place, total in enumerate(sums)]
    return tuple(Stretch(part, start, end) for part, start, end in zip(seen, ends, ends[1:], strict=False))
