"""Fences and comments that a text leaves open at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.light import open_fence

if TYPE_CHECKING:
    from ctxtui.core.text.markdown.blocks import BlockSpan
    from ctxtui.core.text.markdown.document import Document

_AT_EDGE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\r\n]*)", re.MULTILINE)


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
    """The line that closes a fence or comment left open at the end of a file ("" for none), and a notice of it."""
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
