"""What of a Markdown text is prose: the spans outside code fences, and the HTML comments within them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"[ \t]*+(?:(?:[-*+]|\d++[.)])[ \t]++|>[ \t]*+)*+(`{3,}|~{3,})(.*)")
_COMMENT = re.compile(r"(?:(?<=[\r\n])|\A) {0,3}<!--")
_BLANK = re.compile(r"[ \t]*(?:\r\n|\r|\n|\Z)")


class Span(NamedTuple):
    """A stretch of a text in characters, from `start` up to `end`."""

    start: int
    end: int


def prose(text: str) -> Iterator[Span]:
    """The stretches outside code fences; a fence that is never closed reaches to the end."""
    fence, begin, position = "", 0, 0
    while position < len(text):
        line = _LINE.match(text, position)
        end = line.end() if line else len(text)
        match = _FENCE.match(text[position:end].rstrip("\r\n"))
        if fence:
            if match and match[1].startswith(fence) and not match[2].strip():
                fence, begin = "", end
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            if begin < position:
                yield Span(begin, position)
            fence = match[1]
        position = end
    if not fence and begin < len(text):
        yield Span(begin, len(text))


def comments(text: str) -> Iterator[Span]:
    """The HTML comments that begin a line outside code fences, each with the rest of its last line if blank.

    A comment that is never closed is none.
    """
    if "<!--" not in text:
        return
    for piece in prose(text):
        position = piece.start
        while (start := _COMMENT.search(text, position, piece.end)) is not None:
            close = text.find("-->", start.end(), piece.end)
            if close < 0:
                break
            blank = _BLANK.match(text, close + 3, piece.end)
            position = blank.end() if blank else close + 3
            yield Span(start.start(), position)
