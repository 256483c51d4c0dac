"""Links in a Markdown document: text, target and line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from urllib.parse import unquote

from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.document import Document

_INLINE = re.compile(
    r"\[(?P<text>[^\[\]\n]{0,300})\]"
    r"\(\s*+(?:<(?P<bracketed>[^<>\n]++)>|(?P<bare>[^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)*+))[^()\n]*+\)"
)
# `[^1]:` begins a footnote.
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<text>[^\^\[\]\n][^\[\]\n]{0,299})\]:\s*(?:<(?P<bracketed>[^<>\n]+)>|(?P<bare>[^\s<>]+))"
)
# Every link has one of these, which few lines have.
_SIGN = re.compile(r"\][(:]")
# An escaped bracket opens or closes no link (CommonMark 0.31, 2.4).
_ESCAPED = re.compile(r"\\[\\\[\]]")
CURSOR = "mdc:"
"""The beginning of Cursor's links to files of the project, such as `mdc:src/a.ts`."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file: its text, its target as written, and its line, from 1.

    `path` is the target relative to the project, empty if it leads outside. `anchor` is a slug.
    """

    text: str
    target: str
    line: int
    path: str
    anchor: str


def find_links(document: Document) -> Iterator[Link]:
    """The links to files and headings outside code and comments, without external URLs."""
    body, lines = document.body, Lines.of(document.body)
    first = document.lines.at(document.body_start) + 1
    found: dict[int, list[Link]] = {}
    for number in dict.fromkeys(lines.at(sign.start()) for sign in _SIGN.finditer(body)):
        line = body[lines.start(number) : lines.start(number + 1)].rstrip("\r\n")
        shown = _ESCAPED.sub("  ", replace_code(line, lambda span, _: " " * len(span)))
        matches = (*_INLINE.finditer(shown), *_DEFINITION.finditer(shown))
        links = (
            _link(document.path, match["text"], match["bracketed"] or match["bare"], first + number)
            for match in matches
        )
        if own := [link for link in links if link is not None]:
            found[number] = own
    return chain.from_iterable(links for number, links in found.items() if number not in document.scan.code)


def rooted(target: str) -> str:
    """A target, where Cursor's `mdc:docs/a.md` becomes `/docs/a.md`, a path from the project's root."""
    return f"/{target.removeprefix(CURSOR).lstrip('/')}" if target.startswith(CURSOR) else target


def _link(path: str, text: str, target: str, line: int) -> Link | None:
    written = rooted(target)
    if _SCHEME.match(written):
        return None
    file, _, anchor = written.partition("#")
    file = unquote(file.partition("?")[0])
    if not file:
        return Link(text, target, line, path, unquote(anchor))
    if file.startswith("/"):
        place = posixpath.normpath(file.lstrip("/"))
    else:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    return Link(text, target, line, "" if f"{place}/".startswith("../") else place, unquote(anchor))
