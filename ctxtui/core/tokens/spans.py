"""Counts that add up: a text cut into counted pieces, and the size of a text with the edges that join neighbors."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from ctxtui.core.text.safe_cut import SAFE_CUT, SAFE_START
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter

# In shorter chunks, calls cost more than tokens.
_LEAST_CHUNK = 4000
# Longer pieces are counted line by line, because the ladder tries several of their prefixes.
_LARGE = 2_000


@dataclass(frozen=True, slots=True)
class Counts:
    """The units of a text, and in `sums` its units before each offset in `cuts`, where a line begins with `#`."""

    units: int
    cuts: array[int] = field(default_factory=lambda: array("I"))
    sums: array[int] = field(default_factory=lambda: array("Q"))

    def pack(self) -> bytes:
        """The cuts and sums as bytes, without the units."""
        return self.cuts.tobytes() + self.sums.tobytes()

    @staticmethod
    def unpack(units: int, data: bytes) -> Counts:
        cuts, sums = array("I"), array("Q")
        count = len(data) // (cuts.itemsize + sums.itemsize)
        cuts.frombytes(data[: count * cuts.itemsize])
        sums.frombytes(data[count * cuts.itemsize :])
        return Counts(units, cuts, sums)

    def before(self, counter: TokenCounter, text: str, offset: int) -> int:
        """The units of `text` before an offset, which need not be a safe cut: differences always add up."""
        if offset >= len(text):
            return self.units
        index = bisect_right(self.cuts, offset) - 1
        start, units = (self.cuts[index], self.sums[index]) if index >= 0 else (0, 0)
        return units + (counter.units(text[start:offset]) if offset > start else 0)


def count_text(counter: TokenCounter, text: str) -> Counts:
    """Count a text, cut before lines that begin with `#`, some thousand characters apart."""
    return count_each(counter, [text])[0]


def count_each(counter: TokenCounter, texts: Sequence[str]) -> list[Counts]:
    """Count many texts in one call, each cut as by `count_text`."""
    if counter.basis == CHARACTERS:
        return [Counts(len(text)) for text in texts]
    cuts = list(map(_cuts, texts))
    edges = [(0, *own, len(text)) for own, text in zip(cuts, texts, strict=True)]
    pieces = [text[start:end] for text, own in zip(texts, edges, strict=True) for start, end in pairwise(own)]
    units = iter(counter.units_of(pieces))
    counts = []
    for own in cuts:
        *sums, total = accumulate(islice(units, len(own) + 1))
        counts.append(Counts(total, array("I", own), array("Q", sums)))
    return counts


def _cuts(text: str) -> list[int]:
    """The offsets of lines that begin with `#`, some thousand characters apart."""
    cuts: list[int] = []
    while (feed := text.find("\n#", (cuts[-1] if cuts else 0) + _LEAST_CHUNK)) >= 0:
        cuts.append(feed + 1)
    return cuts


class Sizer:
    """Measures texts that share most of their lines: each piece between safe cuts is encoded once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._pieces: dict[str, int] = {}

    def units(self, text: str) -> int:
        """The units of the whole text, exactly as the counter gives them."""
        if self._counter.basis == CHARACTERS:
            return len(text)
        first, *rest = text.split("\n#")
        if not rest:
            return self._piece_units(first)
        *middle, last = rest
        return (
            self._piece_units(first + "\n")
            + sum(self._piece_units(f"#{each}\n") for each in middle)
            + self._piece_units("#" + last)
        )

    def _piece_units(self, piece: str) -> int:
        """The units of a text between safe cuts, kept for the next text that has it."""
        units = self._pieces.get(piece)
        if units is None:
            lines = SAFE_CUT.split(piece) if len(piece) > _LARGE else [piece]
            units = self._counter.units(piece) if len(lines) == 1 else sum(map(self._piece_units, lines))
            self._pieces[piece] = units
        return units


class Span(NamedTuple):
    """A counted text without its middle.

    `units` are the units of the whole text. `head` reaches to the first safe cut, and `tail` begins at the last one.
    Without a cut inside, both are the whole text and `solid` is true.
    """

    units: int = 0
    head: str = ""
    tail: str = ""
    solid: bool = True

    def ends_line(self) -> bool:
        """Whether the text is empty or ends with a line feed."""
        return not self.tail or self.tail.endswith("\n")


def span(counter: TokenCounter, text: str, units: int | None = None) -> Span:
    """Measure a text. If its `units` are known, nothing is encoded."""
    if units is None:
        units = counter.units(text)
    first = SAFE_CUT.search(text)
    if first is None:
        return Span(units, text, text, True)
    return Span(units, text[: first.start()], text[previous_cut(text, len(text) - 1) :], False)


def span_between(counter: TokenCounter, text: str, counts: Counts, start: int, end: int) -> Span:
    """The exact span of `text[start:end]`, from the `counts` of the text where safe cuts allow it."""
    piece = text[start:end]
    # Both ends of a text are safe cuts.
    safe_start, safe_end = start, previous_cut(text, end)
    if start > 0:
        following = SAFE_CUT.search(text, start)
        safe_start = following.start() if following else len(text)
    if safe_start > safe_end:
        return span(counter, piece)
    units = counts.before(counter, text, safe_end) - counts.before(counter, text, safe_start)
    units += counter.units(text[start:safe_start]) if safe_start > start else 0
    units += counter.units(text[safe_end:end]) if end > safe_end else 0
    return span(counter, piece, units)


def previous_cut(text: str, offset: int) -> int:
    """The last safe cut at or before an offset. Both ends of the text are safe cuts."""
    if offset >= len(text):
        return len(text)
    while offset > 0 and SAFE_CUT.match(text, offset) is None:
        offset = text.rfind("\n", 0, offset - 1) + 1
    return offset


def join(counter: TokenCounter, left: Span, right: Span) -> Span:
    """The span of two adjacent texts. At a safe cut the units add up, elsewhere the joint is counted again."""
    if not left.head:
        return right
    if not right.head:
        return left
    units = left.units + right.units
    if left.tail[-1] == "\n" and SAFE_START.match(right.head):
        return Span(units, left.head, right.tail, False)
    joint = span(counter, left.tail + right.head)
    return Span(
        units + joint.units - counter.units(left.tail) - counter.units(right.head),
        joint.head if left.solid else left.head,
        joint.tail if right.solid else right.tail,
        left.solid and right.solid and joint.solid,
    )


def join_all(counter: TokenCounter, spans: Iterable[Span]) -> Span:
    """The span of adjacent texts in order, an empty one without any."""
    return reduce(lambda left, right: join(counter, left, right), spans, Span())
