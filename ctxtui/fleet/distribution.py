"""How the starts of an agent are distributed over the repositories that it is set up in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log10
from typing import Final

_STEPS: Final = (10, 15, 20, 30, 50, 70)
_DECADES: Final = 8
EDGES: Final = (0, *(step * 10**decade for decade in range(_DECADES) for step in _STEPS))
"""Where one bin ends and the next begins, in tokens: each is about half as large again as the one before."""


@dataclass(frozen=True, slots=True)
class Bin:
    """How many repositories have a start of at least `least` and less than `below` tokens."""

    least: int
    below: int
    repositories: int


@dataclass(frozen=True, slots=True)
class Starts:
    """The starts of an agent in the repositories that it is set up in, in tokens.

    `median` and `p90` are starts that exist: at least half, and nine in ten, of the repositories have no larger one.
    `largest_in` is the name of the repository with the largest. The bins of all agents of a fleet are the same.
    `limit` is the most that a policy allows, and `over` the number of repositories with more, if there is one.
    """

    agent: str
    repositories: int
    median: int
    p90: int
    largest: int
    largest_in: str
    total: int
    bins: tuple[Bin, ...]
    limit: int | None = None
    over: int = 0


def distributions(
    starts: Mapping[str, Sequence[tuple[int, str]]], limits: Mapping[str, int] | None = None
) -> tuple[Starts, ...]:
    """The distribution of each agent's starts, given as tokens and repository; the agents set up most often first."""
    spans = spanned(tokens for each in starts.values() for tokens, _ in each)
    found = (_starts(agent, sorted(each), spans, (limits or {}).get(agent)) for agent, each in starts.items() if each)
    return tuple(sorted(found, key=lambda each: (-each.repositories, -each.total, each.agent)))


def spanned(values: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The bins from the least value to the largest, without gaps: where each begins, and where the next one does."""
    known = set(values)
    if not known:
        return ()
    end = len(EDGES) - 1
    first = min(bisect_right(EDGES, min(known)), end) - 1
    last = min(bisect_right(EDGES, max(known)), end)
    return tuple(pairwise(EDGES[first : last + 1]))


def rank(ordered: Sequence[int], percent: int) -> int:
    """The least of some ordered values that this many of a hundred do not pass; 0 if there are no values."""
    return ordered[max(-(-len(ordered) * percent // 100), 1) - 1] if ordered else 0


def position(tokens: int, bins: Sequence[Bin]) -> float:
    """How far to the right a start is on the scale of some bins, from 0 to 1; within a bin by its logarithm."""
    for place, each in enumerate(bins):
        if tokens < each.below:
            low, high, value = (log10(max(number, 1)) for number in (each.least, each.below, tokens))
            return (place + min(max((value - low) / (high - low), 0.0), 1.0)) / len(bins)
    return 1.0


def _starts(
    agent: str, ordered: Sequence[tuple[int, str]], spans: Sequence[tuple[int, int]], limit: int | None
) -> Starts:
    tokens = [each for each, _ in ordered]
    largest, name = min(ordered, key=lambda each: (-each[0], each[1]))
    return Starts(
        agent,
        len(tokens),
        rank(tokens, 50),
        rank(tokens, 90),
        largest,
        name,
        sum(tokens),
        _bins(tokens, spans),
        limit,
        0 if limit is None else len(tokens) - bisect_right(tokens, limit),
    )


def _bins(ordered: Sequence[int], spans: Sequence[tuple[int, int]]) -> tuple[Bin, ...]:
    """The last bin has no end: what is larger than all edges is in it."""
    ends = [bisect_right(ordered, below - 1) for _, below in spans]
    ends[-1:] = [len(ordered)]
    return tuple(
        Bin(least, below, end - begin) for (least, below), begin, end in zip(spans, [0, *ends], ends, strict=False)
    )
