"""Links in a Markdown document: their text, their target, and their line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from ctxtui.core.markdown.code_spans import replace_code
from ctxtui.core.markdown.document import Document

_INLINE = re.compile(
    r"\[(?P<text>[^\[\]\n]{0,300})\]"
    r"\(\s*+(?:<(?P<bracketed>[^<>\n]++)>|(?P<bare>[^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)*+))[^()\n]*+\)"
)
# `[^1]:` begins a footnote.
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<text>[^\^\[\]\n][^\[\]\n]{0,299})\]:\s*(?:<(?P<bracketed>[^<>\n]+)>|(?P<bare>[^\s<>]+))"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file: its text, its target as written, and its line in the file, from 1.

    `path` is the target file, relative to the project, empty if it leads out of it; `anchor` is a slug.
    """

    text: str
    target: str
    line: int
    path: str
    anchor: str


def find_links(document: Document) -> Iterator[Link]:
    """The links to files and to headings, outside code and comments; external URLs are skipped."""
    scan, body = document.scan, document.body
    first = document.text.count("\n", 0, document.body_start) + 1
    for number, start in enumerate(scan.lines.starts):
        line = body[start : scan.lines.start(number + 1)].rstrip("\r\n")
        if number in scan.code or "]" not in line:
            continue
        shown = replace_code(line, lambda span, _: " " * len(span))
        for match in [*_INLINE.finditer(shown), *_DEFINITION.finditer(shown)]:
            link = _link(document.path, match["text"], match["bracketed"] or match["bare"], first + number)
            if link is not None:
                yield link


def _link(path: str, text: str, target: str, line: int) -> Link | None:
    if _SCHEME.match(target):
        return None
    file, _, anchor = target.partition("#")
    file = unquote(file.partition("?")[0])
    if not file:
        return Link(text, target, line, path, unquote(anchor))
    if file.startswith("/"):
        place = posixpath.normpath(file.lstrip("/"))
    else:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    return Link(text, target, line, "" if place.startswith("..") else place, unquote(anchor))
