"""Where the blocks of a text begin: its paragraphs, with fenced code, tables and most lists whole.

A heading belongs to what follows it, except one of the first level, which names the file: two files may differ in
nothing else. So do a rule and a line that ends with a colon. Frontmatter is one block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from ctxtui.core.text.markdown.light import body_start, prose
from ctxtui.core.text.safe_cut import SAFE_CUT

# What may end a block: the line break before a heading or an item, or before blank lines.
_EVENT: Final = re.compile(
    r"\n(?:(?P<heading>#{1,6}[ \t])|(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t][^\n]*)"
    r"|(?P<blank>(?:[ \t\r]*+\n)*[ \t\r]*+(?=\n)))"
)
_LEADS: Final = re.compile(r"#{2,6}[ \t]|[-*_]{2,}$|.*:$")
# One item in this many begins a block.
_ITEMS: Final = 4
# No text that people write has more; what follows is one block.
_MOST: Final = 10_000


def block_starts(text: str) -> list[int]:
    """The offsets where blocks begin, in order, the first one 0; none for an empty text.

    All of them are safe cuts: the tokens of the blocks add up to those of the text.
    """
    starts = [0] if text else []
    for start in _starts(text):
        if start and starts[-1] < start < len(text) and SAFE_CUT.match(text, start):
            starts.append(start)
            if len(starts) == _MOST:
                break
    return starts


def _starts(text: str) -> Iterator[int]:
    start = front = body_start(text)
    yield front
    has_item = False
    for piece in prose(text):
        for event in _EVENT.finditer(text, max(piece.start, front, 1) - 1, piece.end):
            place, was_item = event.start() + 1, has_item
            if has_item := event.lastgroup == "item":
                if not (was_item and _begins(event["item"])):
                    continue
            elif event.lastgroup == "blank":
                if _leads(text, start, event.start()) or text.startswith((" ", "\t"), event.end() + 1):
                    continue
                place = event.end() + 1
            start = place
            yield place


def _begins(item: str) -> bool:
    """Whether an item begins a block, by what it says, so that another item of the list that changes moves no cut."""
    return crc32(" ".join(item.split()).encode("utf-8", "surrogatepass")) % _ITEMS == 0


def _leads(text: str, start: int, end: int) -> bool:
    """Whether the last line of a piece leads to what follows."""
    last = text[max(text.rfind("\n", start, end) + 1, start) : end]
    return _LEADS.match(last.strip()) is not None
