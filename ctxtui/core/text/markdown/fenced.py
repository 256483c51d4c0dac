"""Fences and comments that a text leaves open at its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.markdown.light import fence_behind, open_fence, with_feeds

if TYPE_CHECKING:
    from ctxtui.core.text.markdown.document import Document

_AT_EDGE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)", re.MULTILINE)


def may_end_open(text: str) -> bool:
    """Whether a text seems to end inside a fence or comment. `open_end` is sure, and much slower."""
    fence = ""
    for match in _AT_EDGE.finditer(with_feeds(text)):
        fence = fence_behind(fence, match[1], match[2])
    return bool(fence) or text.rfind("<!--") > text.rfind("-->")


def open_end(document: Document) -> tuple[str, tuple[Notice, ...]]:
    """The line that closes a fence or comment left open at the end of a file ("" for none), and a notice of it."""
    blocks, lines = document.scan.blocks, document.scan.lines
    if not blocks:
        return "", ()
    block = blocks[-1]
    text = document.body[lines.start(block.start) : lines.start(block.end)]
    kind, closing = "fence", open_fence(text) if block.kind == "fence" else ""
    if block.kind == "html_block" and text.lstrip().startswith("<!--") and "-->" not in text:
        kind, closing = "comment", "-->"
    if not closing:
        return "", ()
    line = document.lines.at(document.body_start) + block.start + 1
    message = f"a {kind} is never closed; everything below belongs to it"
    return f"{closing}\n", (Notice(f"unclosed-{kind}", message, document.path, line),)
