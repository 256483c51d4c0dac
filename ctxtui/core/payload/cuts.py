"""Places to cut a text: Markdown between blocks, items, rows and sentences, JSON between elements, code nowhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple
from unicodedata import category, combining

from ctxtui.core.text.markdown.scan import BlockSpan, Scan

# Where a line may be cut: nowhere, before it, before and within it, within it.
_SOLID, _START, _START_PROSE, _PROSE = range(4)

# Prose is cut at a sentence unless a finer cut adds more than this share of the text already shown.
_FINE = 64
# An uncuttable piece is a gap if it is larger than this share of the text already shown, plus some characters.
_GAP, _LEAST_GAP = 32, 24

# One line feed after these adds at most one token, so that a longer prefix never counts less.
_MARKS = r"[!-/:-@\[-`{-~]"
_SENTENCE = re.compile(rf"(?<=[^\W_])[.!?]{_MARKS}?(?=\s)|[。！？]")
_LINE = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(rf"(?<=[^\W_]){_MARKS}{{0,2}}(?=\s)")
# A word, or a text that has none, is cut between its characters only if it is longer than this, in bytes of UTF-8:
# letters of one byte make fewer tokens. Each piece is so long that a longer prefix counts more.
_LONG, _STEP = 48, 24
_JOINED = re.compile(r"[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff]")
_FLAGS = re.compile(r"[\U0001f1e6-\U0001f1ff]+\Z")
_ELEMENTS = re.compile(r'"(?:[^"\\]|\\.)*+"?|([,\[{])', re.DOTALL)
_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")


class Cut(NamedTuple):
    """The end of a prefix: a number of whole lines, and a number of characters of the next line."""

    lines: int
    characters: int = 0


NOTHING: Final = Cut(0)


class Cuts:
    """The places to cut the lines of a scanned text."""

    def __init__(self, lines: Sequence[str], structure: Scan) -> None:
        self._lines = lines
        self._place_kinds = _place_kinds(lines, structure)

    def longest(self, numbers: Sequence[int], shown: int, fits: Callable[[Cut], bool]) -> Cut:
        """The longest prefix of the lines `numbers` that ends at a place to cut and fits.

        `shown` characters precede these lines. If the lines have at most 1/64 as many, the result is NOTHING.
        """
        if self._size(numbers) <= shown // _FINE:
            return NOTHING
        starts = self._starts(numbers)
        best = largest_fitting(lambda number: fits(Cut(starts[number])), len(starts) - 2)
        first, stretch = starts[best], numbers[starts[best] : starts[best + 1]]
        offsets = self._offsets(stretch, shown + self._size(numbers[:first]))
        cuts = self._cuts_at(stretch, first, offsets)
        finer = largest_fitting(lambda number: fits(cuts[number - 1]), len(cuts))
        return cuts[finer - 1] if finer else Cut(first)

    def first_gap(self, numbers: Sequence[int], shown: int) -> Cut | None:
        """The prefix of the lines before the first gap (`is_gap`), or None. `shown` characters precede the lines."""
        for start, end in pairwise(self._starts(numbers)):
            stretch = numbers[start:end]
            size = self._size(stretch)
            if is_gap(size, shown):
                for low, high in pairwise([0, *self._offsets(stretch, shown), size]):
                    if is_gap(high - low, shown + low):
                        return self._cuts_at(stretch, start, [low])[0]
            shown += size
        return None

    def _size(self, numbers: Sequence[int]) -> int:
        return sum(len(self._lines[number]) for number in numbers)

    def _starts(self, numbers: Sequence[int]) -> list[int]:
        """The positions in `numbers` where a piece begins, all prose or all uncuttable, and the last one's end."""
        inside = (_SOLID, _PROSE)
        starts = [place for place, number in enumerate(numbers) if place and self._place_kinds[number] not in inside]
        return [0, *starts, len(numbers)]

    def _offsets(self, stretch: Sequence[int], shown: int) -> list[int]:
        """Where the joined lines of `stretch` may be cut, in characters. `shown` characters precede them."""
        is_prose = stretch and self._place_kinds[stretch[0]] in (_START_PROSE, _PROSE)
        return prose_cuts("".join(self._lines[number] for number in stretch), shown) if is_prose else []

    def _cuts_at(self, stretch: Sequence[int], first: int, offsets: Sequence[int]) -> list[Cut]:
        ends = list(accumulate((len(self._lines[number]) for number in stretch), initial=0))
        whole = [bisect_right(ends, offset) - 1 for offset in offsets]
        return [Cut(first + lines, offset - ends[lines]) for lines, offset in zip(whole, offsets, strict=True)]


def largest_fitting(fits: Callable[[int], bool], count: int) -> int:
    """The largest number from 1 to `count` that `fits`, 0 if none does. All numbers below one that fits must fit."""
    low, high = 0, 1
    while high <= count and fits(high):
        low, high = high, 2 * high
    high = min(high, count + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def is_gap(size: int, shown: int) -> bool:
    """Whether an uncuttable piece of `size` characters is large compared with the `shown` characters before it."""
    return size > _LEAST_GAP + shown // _GAP


def prose_cuts(text: str, shown: int) -> list[int]:
    """Where to cut prose, in characters: at sentences, lines or words, finer if little is `shown` before it."""
    # A cut could turn the start of such a line into a fence.
    patterns = (_LINE,) if "```" in text else (_SENTENCE, _LINE, _WORD)
    return list(_cut_places(text, 0, len(text), shown, patterns))


def _cut_places(text: str, start: int, end: int, shown: int, patterns: Sequence[re.Pattern[str]]) -> Iterator[int]:
    """The ends of matches of the first pattern, and of finer ones in pieces longer than 1/64 of the text before."""
    first, *rest = patterns
    ends = (match.end() for match in first.finditer(text, start, end))
    for low, high in pairwise([start, *(place for place in ends if start < place < end), end]):
        if rest and high - low > (shown + low) // _FINE:
            yield from _cut_places(text, low, high, shown, rest)
        elif first is _WORD and high - low > (shown + low) // _FINE and _utf8_size(text[low:high]) > _LONG:
            yield from _between_characters(text, low, high, shown)
        if high < end:
            yield high


def _between_characters(text: str, start: int, end: int, shown: int) -> Iterator[int]:
    """Offsets to cut a text without spaces and stops. Combining marks stay with their characters."""
    size = 0
    for place in range(start, end):
        if size >= max(_STEP, (shown + place) // _FINE) and _keeps_characters_whole(text, place):
            yield place
            size = 0
        size += _utf8_size(text[place])


def _keeps_characters_whole(text: str, place: int) -> bool:
    """Whether a cut at an offset keeps visible characters whole."""
    following, before = text[place], text[place - 1]
    if combining(following) or category(following).startswith("M") or _JOINED.match(following) or before == "\u200d":
        return False
    flags = _FLAGS.search(text, max(0, place - 64), place)
    return flags is None or len(flags[0]) % 2 == 0


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def element_cuts(text: str, shown: int) -> list[int]:
    """Where to cut JSON, in characters: after commas and opening brackets, finer if little is `shown` before it."""
    found, last = [], 0
    for match in _ELEMENTS.finditer(text):
        if match[1] and match.end() - last >= max(_STEP, (shown + last) // _FINE):
            last = match.end()
            found.append(last)
    return found


def _place_kinds(lines: Sequence[str], structure: Scan) -> bytearray:
    """Where each line may be cut: `_SOLID`, `_START`, `_START_PROSE` or `_PROSE`."""
    found = bytearray([_START]) * len(lines)
    for block in structure.blocks:
        first, end = block.start + 1, block.end
        match block.kind:
            case "list" | "blockquote":
                _mark_container(found, block, lines, structure)
            case "paragraph":
                found[block.start : end] = bytes([_START_PROSE]) + bytes([_PROSE]) * (end - first)
            case kind:
                # The first row of a table stays with its header.
                end = min(first + 2, end) if kind == "table" else end
                found[first:end] = bytes([_SOLID]) * (end - first)
    return found


def _mark_container(found: bytearray, block: BlockSpan, lines: Sequence[str], structure: Scan) -> None:
    """Mark in `found`, by line, where lists and quotes may be cut: before items, paragraphs and pieces of code."""
    is_prose = False
    for number in range(block.start, min(block.end, len(lines))):
        line = lines[number]
        if number in structure.code:
            found[number] = _SOLID if number > block.start and number - 1 in structure.code else _START
            is_prose = False
        elif line.strip(" \t>\r\n"):
            found[number] = _PROSE if is_prose and not _MARKER.match(line) else _START_PROSE
            is_prose = True
        else:
            is_prose = False
