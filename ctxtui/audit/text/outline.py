"""A quick look at the headings of a text, to spare most files of a large project the parser."""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxtui.core.markdown.document import Document
from ctxtui.core.markdown.scan import match_key

_MARK = re.compile(r"^ {0,3}(?:(`{3,}|~{3,})([^\n]*)|(#{1,6})(?:[ \t]+([^\n]*))?$)", re.MULTILINE)
_CLOSING_SIGNS = re.compile(r"(?:^|\s+)#+\s*$")
# What only the parser tells apart: HTML, headings that are underlined or in a list, tabs, other line ends.
_INTRICATE = re.compile(
    r"^ {0,3}<[A-Za-z/!?]|^ {1,3}#|^ {0,3}\t|\S[^\S\n]*\n {0,3}(?:=+|-+)[ \t]*$|[\r\0]", re.MULTILINE
)


class Sketched(NamedTuple):
    """A heading: its text as written, its level, where it begins and where its section ends, in characters."""

    name: str
    level: int
    start: int
    end: int


def headings_of(document: Document) -> list[Sketched]:
    """The headings of a document, exactly; it is parsed only where a quick look cannot be sure."""
    body = document.body
    if not _INTRICATE.search(body):
        found, is_open = _marks(body)
        if not is_open:
            shift = document.body_start
            sections = _closed(found, len(body))
            return [each._replace(start=each.start + shift, end=each.end + shift) for each in sections]
    return [Sketched(part.name, part.level, part.start, part.end) for part in document.parts if part.level]


def sketch(text: str) -> list[Sketched]:
    """The headings that begin with `#` outside fences; those in comments, lists and quotes are not told apart."""
    return _closed(_marks(text)[0], len(text))


def _marks(text: str) -> tuple[list[tuple[str, int, int]], bool]:
    """Text, level and offset of what looks like headings, and whether a fence stays open at the end."""
    fence = ""
    found: list[tuple[str, int, int]] = []
    for mark in _MARK.finditer(text):
        if mark[1] is None:
            if not fence:
                found.append((_CLOSING_SIGNS.sub("", mark[4] or "").strip(), len(mark[3]), mark.start()))
        elif not fence:
            fence = mark[1] if mark[1][0] == "~" or "`" not in mark[2] else ""
        elif mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
    return found, bool(fence)


def _closed(found: list[tuple[str, int, int]], size: int) -> list[Sketched]:
    sections: list[Sketched] = []
    following: list[tuple[int, int]] = []  # level and start of the headings behind, the nearest last
    for name, level, start in reversed(found):
        while following and following[-1][0] > level:
            following.pop()
        sections.append(Sketched(name, level, start, following[-1][1] if following else size))
        following.append((level, start))
    return sections[::-1]


def lookup(headings: list[Sketched]) -> dict[str, Sketched]:
    """The first heading of each name, as written and as sections are matched, in lower case."""
    found: dict[str, Sketched] = {}
    for heading in headings:
        found.setdefault(heading.name.casefold(), heading)
    for heading in headings:
        found.setdefault(match_key(heading.name), heading)
    return found
