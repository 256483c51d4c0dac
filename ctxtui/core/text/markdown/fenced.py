"""Lines of Markdown inside code, decided by fences at the left edge, much faster than by parsing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.light import Span, open_fence

if TYPE_CHECKING:
    from ctxtui.core.text.markdown.blocks import BlockSpan
    from ctxtui.core.text.markdown.document import Document

_FENCE_MARK: Final = re.compile("```|~~~")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
# What is before a fence that is indented, or within lists and quotes.
_CONTAINERS: Final = " \t>-*+0123456789.)"
_AT_EDGE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\r\n]*)", re.MULTILINE)
_HTML: Final = re.compile(r"\n {0,3}(?:>[> \t]*)?<(?:[A-Za-z][A-Za-z0-9-]*[\s/>]|[/!?])")
# Of what follows lists within lists as deep as this, the parser sees nothing.
_DEEP: Final = re.compile(r"\n[-*+ \t0-9.)]{48}")
# A line that is text, or an item of a list or a line of a quote with nothing but text.
_TEXT: Final = re.compile(r"(?:(?:[-*+>]|\d{1,9}[.)]) )?(?:!?\[|\*\*[^\s*]|[^\W\d_]|\()|#|\|")


def code_at(text: str, starts: Sequence[int]) -> list[bool] | None:
    """Whether each line at these ascending offsets is code for the parser. None if unsure."""
    before = f"\n{text[: starts[-1]]}"
    if "\r" in before or "\0" in before or _DEEP.search(before):
        return None
    fences = _fences(before)
    if fences is None:
        return None
    begins, ends = [begin for begin, _ in fences], [end for _, end in fences]

    def is_fenced(offset: int) -> bool:
        place = bisect_right(begins, offset)
        return place > 0 and offset < ends[place - 1]

    # All offsets are those behind the line end that was put before the text.
    found = [is_fenced(start + 1) for start in starts]
    is_sure = all(fenced or _TEXT.match(text, start) for start, fenced in zip(starts, found, strict=True))
    is_html = any(not is_fenced(tag.start() + 1) for tag in _HTML.finditer(before))
    return found if is_sure and not is_html else None


def _fences(text: str) -> list[Span] | None:
    """The fences at the left edge. An unclosed fence has no end. None if other lines may be fences too."""
    found: list[Span] = []
    fence, begin, position = "", 0, 1
    while (sign := _FENCE_MARK.search(text, position)) is not None:
        start = text.rfind("\n", 0, sign.start()) + 1
        end = text.find("\n", sign.start()) + 1
        prefix = text[start : sign.start()]
        mark, info = _marked(text[sign.start() : end])
        position = end
        if fence:
            if mark.startswith(fence) and not info and not prefix.strip(" ") and len(prefix) < 4:
                if prefix:
                    return None
                found.append(Span(begin, end))
                fence = ""
        elif not prefix and (mark[0] == "~" or "`" not in info):
            if "|" in info:
                # The head of a table looks like this.
                return None
            fence, begin = mark, start
        elif prefix and not prefix.strip(_CONTAINERS):
            return None
    return [*found, Span(begin, len(text) + 1)] if fence else found


def _marked(line: str) -> tuple[str, str]:
    """The mark of a fence, and the text after it."""
    match = _FENCE.match(line)
    return (match[1], match[2].strip(" \t\n")) if match else ("", "")


def may_end_open(text: str) -> bool:
    """Whether a text seems to end inside a fence or comment. `open_end` is sure, and much slower."""
    fence = ""
    # A search for the signs, then one match a line, is ten times as fast as the pattern alone.
    lines = sorted({text.rfind("\n", 0, at) + 1 for sign in ("```", "~~~") for at in _places(text, sign)})
    for match in filter(None, (_AT_EDGE.match(text, line) for line in lines)):
        if fence:
            fence = "" if match[1].startswith(fence) and not match[2].strip() else fence
        elif match[1][0] == "~" or "`" not in match[2]:
            fence = match[1]
    return bool(fence) or text.rfind("<!--") > text.rfind("-->")


def _places(text: str, sign: str) -> Iterator[int]:
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + len(sign))


def open_end(document: Document) -> tuple[str, tuple[Notice, ...]]:
    """The line that closes a fence or comment left open at the end of a file, and the notices."""
    blocks = document.scan.blocks
    if not blocks:
        return "", ()
    block = blocks[-1]
    kind, closing = next(_unclosed(document.body, document.scan.lines, block), ("", ""))
    if not closing:
        return "", ()
    line = Lines.of(document.text).at(document.body_start) + block.start + 1
    message = f"a {kind} is never closed; everything below belongs to it"
    return closing, (Notice(f"unclosed-{kind}", message, document.path, line),)


def _unclosed(body: str, lines: Lines, block: BlockSpan) -> Iterator[tuple[str, str]]:
    text = body[lines.start(block.start) : lines.start(block.end)]
    if block.kind == "fence":
        mark = open_fence(text)
        if mark:
            yield "fence", mark + "\n"
    elif block.kind == "html_block" and text.lstrip().startswith("<!--") and "-->" not in text:
        yield "comment", "-->\n"
