"""Sizes of texts that share most of their lines, as the rungs of a ladder do."""

from __future__ import annotations

from ctxtui.core.text.safe_cut import SAFE_CUT
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter

# A longer piece is counted line by line, because several beginnings of it are tried.
_LARGE = 2_000


class Sizer:
    """Measures texts in a counter's units; each piece between safe cuts is encoded once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._pieces: dict[str, int] = {}

    def units(self, text: str) -> int:
        """Exactly the counter's own number for the whole text."""
        if self._counter.basis == CHARACTERS:
            return len(text)
        first, *rest = text.split("\n#")
        if not rest:
            return self._piece(first)
        *middle, last = rest
        return self._piece(first + "\n") + sum(self._piece(f"#{each}\n") for each in middle) + self._piece("#" + last)

    def _piece(self, piece: str) -> int:
        units = self._pieces.get(piece)
        if units is None:
            if len(piece) <= _LARGE:
                units = self._counter.units(piece)
            else:
                units = sum(map(self._line, SAFE_CUT.split(piece)))
            self._pieces[piece] = units
        return units

    def _line(self, line: str) -> int:
        units = self._pieces.get(line)
        if units is None:
            units = self._pieces[line] = self._counter.units(line)
        return units
