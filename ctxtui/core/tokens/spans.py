"""Counts that add up: a text's size together with the edges that decide how it joins its neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.encodings import SAFE_CUT


@dataclass(frozen=True, slots=True)
class Span:
    """A counted text without its middle.

    `units` are the counter's units of the whole text; `head` reaches to the first safe cut, `tail` begins
    at the last one. If there is no cut inside, both are the whole text and `solid` is true.
    """

    units: int = 0
    head: str = ""
    tail: str = ""
    solid: bool = True

    def ends_line(self) -> bool:
        """Whether the text is empty or ends with a line feed."""
        return not self.tail or self.tail.endswith("\n")


def span(counter: TokenCounter, text: str, units: int | None = None) -> Span:
    """Measure a text; give `units` if they are known, so that nothing is encoded."""
    if units is None:
        units = counter.units(text)
    first = SAFE_CUT.search(text)
    if first is None:
        return Span(units, text, text, True)
    return Span(units, text[: first.start()], text[_last_cut(text) :], False)


def _last_cut(text: str) -> int:
    end = len(text)
    while (feed := text.rfind("\n", 0, end)) >= 0:
        following = text[feed + 1 : feed + 2]
        if following and following != "/" and not following.isspace():
            return feed + 1
        end = feed
    return 0


def join(counter: TokenCounter, left: Span, right: Span) -> Span:
    """The span of both texts in a row: at a safe cut the units add up, else the joint is counted again."""
    if not left.head:
        return right
    if not right.head:
        return left
    if left.tail[-1] == "\n" and right.head[0] != "/" and not right.head[0].isspace():
        return Span(left.units + right.units, left.head, right.tail, False)
    joint = left.tail + right.head
    units = left.units + right.units + counter.units(joint)
    units -= counter.units(left.tail) + counter.units(right.head)
    return Span(
        units,
        joint if left.solid else left.head,
        joint if right.solid else right.tail,
        left.solid and right.solid,
    )


def join_all(counter: TokenCounter, spans: Iterable[Span]) -> Span:
    """All spans in a row as one."""
    return reduce(lambda left, right: join(counter, left, right), spans, Span())
