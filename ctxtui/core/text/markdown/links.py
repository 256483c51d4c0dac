"""Links in a Markdown document: text, target and line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import TARGET, with_feeds

# No text goes on in another block: after a blank line, or a line that begins a list, quote, heading, table or fence.
_TEXT = (
    r"\[(?P<text>(?:!\[[^\[\]\n]{0,300}\]|\[[^\[\]\n]{0,300}\](?!\()|[^\[\]\n]"
    r"|\n(?![ \t]*(?:[-*+>#|`~\n]|\d+[.)])))"
    r"{0,300}+)\]"
)
_BREAK = r"[ \t]*+\n?[ \t]*+"
# Without an end of its own, so that an image inside a link is found as well.
_INLINE = re.compile(
    rf"""(?={_TEXT}\({_BREAK}{TARGET}(?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\)))?[^()\n]*+{_BREAK}\))"""
)
# `[^1]:` begins a footnote.
_DEFINITION = re.compile(
    rf"^ {{0,3}}\[(?P<text>[^\^\[\]\n][^\[\]\n]{{0,299}})\]:{_BREAK}(?:<([^<>\n]++)>|([^\s<>]++))"
    r"(?=[ \t]*+(?:[\"'(]|$))",
    re.MULTILINE,
)
# Every link has one of these.
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
    if not _SIGN.search(body):
        return
    first = document.lines.at(document.body_start) + 1
    shown = _ESCAPED.sub("  ", replace_code(with_feeds(body), lambda span, _: " " * len(span)))
    for match in sorted((*_INLINE.finditer(shown), *_DEFINITION.finditer(shown)), key=lambda match: match.start()):
        number, text = lines.at(match.end("text")), " ".join(body[slice(*match.span("text"))].split())
        link = _link(document.path, text, match[2] or match[3], first + number)
        if link is not None and number not in document.scan.code:
            yield link


def rooted(target: str) -> str:
    """A target, in which Cursor's `mdc:docs/a.md` becomes `/docs/a.md`, a path from the project's root."""
    return f"/{target.removeprefix(CURSOR).lstrip('/')}" if target.startswith(CURSOR) else target


def _link(path: str, text: str, target: str, line: int) -> Link | None:
    """The link in the file `path` to a target. None for an external URL."""
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
