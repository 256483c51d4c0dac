"""The cumulative counts of a text: any section, own text or preamble is a difference of two of them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field

from ctxtui.core.tokens.counter import CHARACTERS, Count, TokenCounter
from ctxtui.core.tokens.encodings import count_tokens

# Encoding many short texts costs more for calls than for tokens.
_LEAST_CHUNK = 4000


@dataclass(frozen=True, slots=True)
class Counts:
    """A text's units in total and up to each cut; cuts are before some lines that begin with `#`."""

    units: int
    cuts: array[int] = field(default_factory=lambda: array("I"))
    sums: array[int] = field(default_factory=lambda: array("Q"))

    def pack(self) -> bytes:
        """The cuts and sums as bytes, for the cache."""
        return self.cuts.tobytes() + self.sums.tobytes()

    @staticmethod
    def unpack(units: int, data: bytes) -> Counts:
        """The counts of a text from the bytes of `pack`."""
        cuts, sums = array("I"), array("Q")
        count = len(data) // (cuts.itemsize + sums.itemsize)
        cuts.frombytes(data[: count * cuts.itemsize])
        sums.frombytes(data[count * cuts.itemsize :])
        return Counts(units, cuts, sums)

    def before(self, counter: TokenCounter, text: str, offset: int) -> int:
        """The units of the text up to an offset; cut anywhere, so that differences always add up."""
        if offset >= len(text):
            return self.units
        index = bisect_right(self.cuts, offset) - 1
        start, units = (self.cuts[index], self.sums[index]) if index >= 0 else (0, 0)
        return units + (counter.units(text[start:offset]) if offset > start else 0)


def count_text(counter: TokenCounter, text: str, count: Count = count_tokens) -> Counts:
    """Count a text once, cut before lines that begin with `#`, some thousand characters apart."""
    if counter.basis == CHARACTERS:
        return Counts(len(text))
    cuts, sums = array("I"), array("Q")
    units = start = 0
    while (feed := text.find("\n#", start + _LEAST_CHUNK)) >= 0:
        units += counter.units(text[start : feed + 1], count)
        start = feed + 1
        cuts.append(start)
        sums.append(units)
    return Counts(units + counter.units(text[start:], count), cuts, sums)
