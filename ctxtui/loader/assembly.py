"""The summary: all files as one text within the token budget (seed 002, "Assembly", "Token Estimation").

Every file has a block: heading, source line, content. The floor is the title, the whole constitution and
the header of every other file. What the budget leaves above it is shared by weight: of n files the first in
the loading order has n shares, the last one; whoever needs less than its part leaves the rest to the others
in the same proportion. A file that does not fit goes down the ladder to its part; what a rung leaves over
goes to the next higher file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from ctxtui.core.formats import full_line
from ctxtui.core.ladder import MARK, climb_down
from ctxtui.core.notices import Notice
from ctxtui.core.plain import plain_line
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter
from ctxtui.core.tokens.encodings import SAFE_CUT
from ctxtui.loader.priority import SUFFIX, heading, is_constitution
from ctxtui.loader.reading import LoadedFile

TITLE = "# Project Context\n"
# Prefixes of a longer piece are counted line by line, as several are tried.
_LARGE = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """A summary with its exact count, whether anything was cut, and what to tell about it."""

    summary: str
    token_count: int
    truncated: bool
    notices: tuple[Notice, ...]


def summary_key(files: Sequence[LoadedFile], budget: int, counter: TokenCounter) -> bytes:
    """The combined hash of everything that a summary depends on (seed 002, "Caching")."""
    digest = blake2b(digest_size=16)
    for loaded in files:
        digest.update(repr((loaded.file.name, loaded.digest)).encode())
    digest.update(repr((budget, counter)).encode())
    return digest.digest()


def assemble(files: Sequence[LoadedFile], budget: int, counter: TokenCounter) -> Assembled:
    """The summary of files in loading order: `token_count <= max(budget, floor)`, the constitution whole."""
    sizer = _Sizer(counter)
    blocks = [_Block(loaded, sizer, is_last=index == len(files)) for index, loaded in enumerate(files, 1)]
    title = TITLE + ("\n" if blocks else "")
    room = counter.within(max(budget, 0)) - sizer.units(title) - sum(block.whole for block in blocks)
    if room < 0:
        _cut(blocks, room)
    summary = title + "".join(block.text for block in blocks)
    units = sizer.units(title) + sum(block.units for block in blocks)
    cut = [block.source for block in blocks if block.is_cut]
    return Assembled(summary, counter.total(units), bool(cut), tuple(_notices(cut, counter, units, budget)))


def _notices(cut: Sequence[str], counter: TokenCounter, units: int, budget: int) -> list[Notice]:
    notices = []
    if cut:
        notices.append(Notice("truncated", f"cut to fit {budget:,} tokens: {', '.join(cut)}"))
    if counter.upper(units) > budget:
        message = f"title, constitution and file headers alone take {counter.upper(units):,} of {budget:,} tokens"
        notices.append(Notice("over-budget", message))
    return notices


class _Sizer:
    """Counts texts that share most of their sections: each piece between safe cuts is encoded once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._pieces: dict[str, int] = {}

    def units(self, text: str) -> int:
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


class _Block:
    """One file in the summary, whole until it is cut; sizes are in the counter's units.

    A block begins with `#` and ends with a line feed, so that blocks always meet at safe cuts.
    """

    def __init__(self, loaded: LoadedFile, sizer: _Sizer, is_last: bool) -> None:
        self._loaded = loaded
        self._sizer = sizer
        self._end = "" if is_last else "\n"
        name = loaded.file.name
        self.source = plain_line(name) + SUFFIX
        self._header = f"## {heading(name)}\nSource: {self.source}\n"
        self.is_kept = is_constitution(name) or loaded.is_empty
        content = "" if loaded.is_empty else self._closed(loaded.file.content)
        self.text = self._wrapped(content)
        self.whole = self.units = sizer.units(self.text)
        self.is_cut = False

    def _closed(self, body: str) -> str:
        return full_line(body) + self._loaded.closing

    def _wrapped(self, body: str) -> str:
        return f"{self._header}\n{body}{self._end}" if body else self._header + self._end

    def least(self) -> int:
        """The size of the header line rung, or of the whole where that is smaller."""
        return self.whole if self.is_kept else min(self.whole, self._sizer.units(self._header_rung()))

    def _header_rung(self) -> str:
        return f"{self._header}{MARK}{self._end}"

    def reduce(self, room: int) -> None:
        """Go down the ladder to a number of units; below the header rung nothing goes."""
        loaded = self._loaded

        def fits(body: str) -> bool:
            return self._sizer.units(self._wrapped(body)) <= room

        body = self._closed(loaded.body) if loaded.body.strip() else ""
        without_metadata = body + MARK
        if len(loaded.body) < len(loaded.file.content) and fits(without_metadata):
            body = without_metadata
        else:
            body = climb_down(body, True, fits, loaded.structure, lean=True)
        self.text = self._header_rung() if body == MARK else self._wrapped(body)
        self.units = self._sizer.units(self.text)
        self.is_cut = True


def _cut(blocks: Sequence[_Block], room: int) -> None:
    """Reduce blocks so that they lose as much as is missing; `room` is negative."""
    least = [block.least() for block in blocks]
    needs = {index: block.whole - least[index] for index, block in enumerate(blocks) if block.whole > least[index]}
    parts = shares(needs, max(0, room + sum(needs.values())))
    spare = 0
    for index in sorted(needs, reverse=True):
        if parts[index] < needs[index]:
            part = parts[index] + spare
            if part >= needs[index]:
                spare = part - needs[index]
                continue
            blocks[index].reduce(least[index] + part)
            spare = part - (blocks[index].units - least[index])


def shares(needs: Mapping[int, int], room: int) -> dict[int, int]:
    """What everyone gets of a room that is too small for all needs, by weight: the first has most.

    The keys are positions in the loading order. A need that its part covers is met exactly, and the rest
    is shared among the others in the same proportion.
    """
    weights = {index: len(needs) - place for place, index in enumerate(sorted(needs))}
    open_needs = dict(needs)
    parts: dict[int, int] = {}
    while open_needs:
        total = sum(weights[index] for index in open_needs)
        met = {index: need for index, need in open_needs.items() if need * total <= room * weights[index]}
        if not met:
            return parts | {index: room * weights[index] // total for index in open_needs}
        parts |= met
        room -= sum(met.values())
        open_needs = {index: need for index, need in open_needs.items() if index not in met}
    return parts
