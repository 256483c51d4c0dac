"""The charts of the page: where bars and marks of a distribution are, in percent of the width and pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.fleet.distribution import Bin, Starts, position

HEIGHT: Final = 46
_GAP: Final = 0.12
_LEAST: Final = 1.5
_SHORT: Final = ((1_000_000, "M"), (1_000, "k"))


class Bar(NamedTuple):
    """A bar: `x` and `width` in percent, `y` and `height` in pixels; `over` if all of it passes the limit."""

    x: float
    width: float
    y: float
    height: float
    told: str
    over: bool


class Chart(NamedTuple):
    """The bars of an agent, and its marks in percent of the width; `limit` is None without one."""

    starts: Starts
    bars: tuple[Bar, ...]
    median: float
    p90: float
    limit: float | None
    told: str


class Tick(NamedTuple):
    """A label of the scale that all charts share: `x` in percent, and which side of the text is there."""

    x: float
    label: str
    anchor: str


def chart(starts: Starts) -> Chart:
    """The chart of the starts of one agent."""
    bins = starts.bins
    median, p90 = (round(100 * position(each, bins), 2) for each in (starts.median, starts.p90))
    limit = None if starts.limit is None else round(100 * position(starts.limit, bins), 2)
    where = plural(starts.repositories, "repository")
    told = (
        f"{plain_line(starts.agent)}: {where}, median {starts.median:,} tokens, nine in ten have at most"
        f" {starts.p90:,}, the largest {starts.largest:,}"
    )
    return Chart(starts, tuple(_bars(starts)), median, p90, limit, told)


def ticks(bins: Sequence[Bin]) -> tuple[Tick, ...]:
    """The powers of ten on the scale of some bins; its ends if there are fewer than two."""
    edges = [bins[0].least, *(each.below for each in bins)] if bins else []
    shown = [edge for edge in edges if str(edge).rstrip("0") == "1"]
    if len(shown) < 2:
        shown = [*edges[:1], *edges[-1:]]
    return tuple(_tick(edge, edges) for edge in shown)


def _tick(edge: int, edges: Sequence[int]) -> Tick:
    share = edges.index(edge) / (len(edges) - 1)
    return Tick(round(100 * share, 2), _short(edge), "start" if share == 0 else "end" if share == 1 else "middle")


def _bars(starts: Starts) -> Iterator[Bar]:
    bins = starts.bins
    most = max(each.repositories for each in bins)
    width = 100 / len(bins)
    for place, each in enumerate(bins):
        if each.repositories:
            height = max(round(HEIGHT * each.repositories / most, 1), _LEAST)
            told = f"{each.least:,} to {each.below - 1:,} tokens: {plural(each.repositories, 'repository')}"
            is_over = starts.limit is not None and each.least > starts.limit
            x = round(width * (place + _GAP / 2), 2)
            yield Bar(x, round(width * (1 - _GAP), 2), round(HEIGHT - height, 1), height, told, is_over)


def _short(number: int) -> str:
    """A round number for a scale: `500`, `20k`, `1.5M`."""
    for unit, letter in _SHORT:
        if number >= unit:
            return f"{number / unit:g}{letter}"
    return str(number)
