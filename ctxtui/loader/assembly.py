"""The summary: all files as one text within the token budget (loader specification 6 and 7).

Every file has a block: heading, source line, content. The floor is the title, the whole constitution and the header
of every other file. The rest of the budget is offered to the files from first to last. A file takes the largest step
of its ladder that leaves the others their shares, and its unused tokens go to the files below. Shares are weighted:
of n files, the first in the loading order has weight n, the last has 1.

With more budget, a file never shows less while the files before it show the same: its offer grows with the budget. So
a share is reserved for a file only as far as the file is certain to use it. A code block too large for the share
might leave it unused, and giving these tokens to a file above would break this rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.formats import full_line
from ctxtui.core.payload.ladder import MARK, Ladder
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import Sizer
from ctxtui.loader.read import LoadedFile
from ctxtui.loader.types import SUFFIX, heading, is_constitution

TITLE = "# Project Context\n"


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """A summary with its exact count, whether anything was cut, and its notices."""

    summary: str
    token_count: int
    truncated: bool
    notices: tuple[Notice, ...]


def summary_key(files: Sequence[LoadedFile], budget: int, counter: TokenCounter) -> bytes:
    """A combined hash of every input of a summary (loader specification 8)."""
    digest = blake2b(digest_size=16)
    for loaded in files:
        digest.update(repr((loaded.file.name, loaded.digest)).encode())
    digest.update(repr((budget, counter)).encode())
    return digest.digest()


def assemble(files: Sequence[LoadedFile], budget: int, counter: TokenCounter) -> Assembled:
    """Assemble files in loading order: `token_count <= max(budget, floor)`, the constitution whole."""
    sizer = Sizer(counter)
    blocks = [_Block(loaded, sizer, is_last=index == len(files)) for index, loaded in enumerate(files, 1)]
    title = TITLE + ("\n" if blocks else "")
    room = counter.within(max(budget, 0)) - sizer.units(title) - sum(block.whole for block in blocks)
    if room < 0:
        _cut(blocks, room)
    summary = title + "".join(block.text for block in blocks)
    units = sizer.units(title) + sum(block.units for block in blocks)
    cut = [block.source for block in blocks if block.is_cut]
    notices, whole = list[Notice](), plural(budget, "token")
    if cut:
        notices.append(Notice("truncated", f"cut to fit {whole}: {', '.join(cut)}"))
    if counter.upper(units) > budget:
        message = f"title, constitution and file headers alone take {counter.upper(units):,} of {whole}"
        notices.append(Notice("over-budget", message))
    return Assembled(summary, counter.total(units), bool(cut), tuple(notices))


class _Block:
    """One file of the summary, whole until it is cut, with sizes in units. Blocks meet at safe cuts."""

    def __init__(self, loaded: LoadedFile, sizer: Sizer, is_last: bool) -> None:
        self._loaded = loaded
        self._sizer = sizer
        self._end = "" if is_last else "\n"
        name = loaded.file.name
        self.source = plain_line(name) + SUFFIX
        self._header = f"## {heading(name)}\nSource: {self.source}\n"
        self.is_kept = is_constitution(name) or loaded.is_empty
        self.text = self._wrapped("" if loaded.is_empty else full_line(loaded.file.content) + loaded.closing)
        self.whole = self.units = sizer.units(self.text)
        self.is_cut = False

    def _wrapped(self, body: str) -> str:
        return f"{self._header}\n{body}{self._end}" if body else self._header + self._end

    @cached_property
    def least(self) -> int:
        """The size of the header line alone, or of a smaller whole block."""
        return self.whole if self.is_kept else min(self.whole, self._size(MARK))

    @cached_property
    def fluid(self) -> int:
        """The units above its minimum size that the file surely uses if its share has room for them."""
        return min(self._size(self._ladder.fluid()), self.whole) - self.least

    @cached_property
    def _ladder(self) -> Ladder:
        body, document = self._loaded.body, self._loaded.document
        return Ladder(body, document.scan, document.items) if document else Ladder(body)

    def reduce(self, room: int) -> None:
        """Shorten the block to `room` units by the steps of its ladder, but not below the minimum size."""
        self.text = self._rung(self._ladder.cut(self._size, room))
        self.units = self._sizer.units(self.text)
        self.is_cut = True

    def _rung(self, body: str) -> str:
        return f"{self._header}{MARK}{self._end}" if body == MARK else self._wrapped(body)

    def _size(self, body: str) -> int:
        return self._sizer.units(self._rung(body))


def _cut(blocks: Sequence[_Block], room: int) -> None:
    """Reduce blocks, first to last, until they fit. `room` is negative: the missing units."""
    cuttable = [block for block in blocks if block.whole > block.least]
    room += sum(block.whole - block.least for block in cuttable)
    for place, block in enumerate(cuttable):
        need = block.whole - block.least
        part = share(need, [below.fluid for below in cuttable[place + 1 :]], room) if room > 0 else 0
        if part < need:
            block.reduce(block.least + part)
        room -= block.units - block.least


def share(need: int, others: Sequence[int], room: int) -> int:
    """The first file's share of `room`, when it wants `need` and each other file its number in `others`.

    Of n files the first has weight n, the last has 1. A file that needs less than its share leaves the rest to files
    that need more, in the same proportion. More room never makes a share smaller.
    """
    weight = len(others) + 1
    open_weight = weight * (weight + 1) // 2
    wants = ((want, weight - place) for place, want in enumerate(others, 1))
    for want, other_weight in sorted(wants, key=lambda each: each[0] / each[1]):
        if want * open_weight > room * other_weight:
            break
        room -= want
        open_weight -= other_weight
    return min(need, room * weight // open_weight)
