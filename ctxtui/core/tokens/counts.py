"""Cumulative counts of a text: the units of any stretch are a difference of two counts."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise

from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter

# In shorter chunks, calls cost more than tokens.
_LEAST_CHUNK = 4000


@dataclass(frozen=True, slots=True)
class Counts:
    """The units of a text, and in `sums` its units before each offset in `cuts`, where a line begins with `#`."""

    units: int
    cuts: array[int] = field(default_factory=lambda: array("I"))
    sums: array[int] = field(default_factory=lambda: array("Q"))

    def pack(self) -> bytes:
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
    edges: list[list[int]] = []
    for text in texts:
        edges.append([0])
        while (feed := text.find("\n#", edges[-1][-1] + _LEAST_CHUNK)) >= 0:
            edges[-1].append(feed + 1)
        edges[-1].append(len(text))
    pieces = [text[start:end] for text, cuts in zip(texts, edges, strict=True) for start, end in pairwise(cuts)]
    units = iter(counter.units_of(pieces))
    counts = []
    for _, *cuts, _ in edges:
        *sums, total = accumulate(islice(units, len(cuts) + 1))
        counts.append(Counts(total, array("I", cuts), array("Q", sums)))
    return counts
