"""The distribution of an agent's starts over its repositories."""

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
"""The edges of bins, in tokens. Each edge is about one and a half times the edge before."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of repositories with a start of at least `least` and less than `below` tokens."""

    least: int
    below: int
    repositories: int


@dataclass(frozen=True, slots=True)
class StartDistribution:
    """The starts of an agent in its repositories, in tokens.

    `median` and `p90` are real starts: half and nine in ten of the repositories have no larger start. `largest_in`
    names the repository with the largest start. All agents of a fleet share the bins. `limit` is the maximum of a
    policy, `over` the number of repositories above it, estimates by the upper end of their band.
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
    starts: Mapping[str, Sequence[tuple[int, str]]], limits: Mapping[str, int] | None = None, judged: int = 1000
) -> tuple[StartDistribution, ...]:
    """The distribution of each agent's starts, given as tokens and repository, most repositories first.

    `judged` thousandths of a start are compared with the limits.
    """
    spans = bin_spans(tokens for each in starts.values() for tokens, _ in each)
    most = limits or {}
    found = (
        _start_distribution(agent, sorted(each), spans, most.get(agent), judged)
        for agent, each in starts.items()
        if each
    )
    return tuple(sorted(found, key=lambda each: (-each.repositories, -each.total, each.agent)))


def bin_spans(values: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Adjacent bins from the smallest to the largest value, each as its least value and its excluded end."""
    known = set(values)
    if not known:
        return ()
    end = len(EDGES) - 1
    first = min(bisect_right(EDGES, min(known)), end) - 1
    last = min(bisect_right(EDGES, max(known)), end)
    return tuple(pairwise(EDGES[first : last + 1]))


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The smallest of the ordered values that `percent` % of them do not exceed, or 0 without values."""
    return ordered[max(-(-len(ordered) * percent // 100), 1) - 1] if ordered else 0


def position(tokens: int, bins: Sequence[Bin]) -> float:
    """The position of a start on the scale of bins, from 0 to 1, logarithmic within a bin. Larger starts are at 1."""
    for place, each in enumerate(bins):
        if tokens < each.below:
            low, high, value = (log10(max(number, 1)) for number in (each.least, each.below, tokens))
            return (place + min(max((value - low) / (high - low), 0.0), 1.0)) / len(bins)
    return 1.0


def _start_distribution(
    agent: str, ordered: Sequence[tuple[int, str]], spans: Sequence[tuple[int, int]], limit: int | None, judged: int
) -> StartDistribution:
    tokens = [each for each, _ in ordered]
    largest, name = min(ordered, key=lambda each: (-each[0], each[1]))
    median, p90, bins = percentile(tokens, 50), percentile(tokens, 90), _bins(tokens, spans)
    over = 0 if limit is None else len(tokens) - bisect_right(tokens, limit * 1000 // judged)
    return StartDistribution(agent, len(tokens), median, p90, largest, name, sum(tokens), bins, limit, over)


def _bins(ordered: Sequence[int], spans: Sequence[tuple[int, int]]) -> tuple[Bin, ...]:
    """Bins with the number of values in each span, end excluded. The last one counts all larger values, too."""
    ends = [bisect_right(ordered, below - 1) for _, below in spans]
    ends[-1:] = [len(ordered)]
    return tuple(
        Bin(least, below, end - begin) for (least, below), begin, end in zip(spans, [0, *ends], ends, strict=False)
    )
