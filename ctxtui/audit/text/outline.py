"""A quick scan of headings, so that few files of a large project need the parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import Sign, headings
from ctxtui.core.text.markdown.scan import match_key


class Sketched(NamedTuple):
    """A heading: its text as written, its level, its start and the end of its section, in characters."""

    name: str
    level: int
    start: int
    end: int


def headings_of(document: Document) -> list[Sketched]:
    """The exact headings of a document."""
    return [Sketched(part.name, part.level, part.start, part.end) for part in document.parts if part.level]


def sketch(text: str) -> list[Sketched]:
    """Headings outside fences, including headings in comments, lists and quotes."""
    return _closed(headings(text), len(text))


def _closed(found: Sequence[Sign], size: int) -> list[Sketched]:
    sections: list[Sketched] = []
    following: list[tuple[int, int]] = []  # Level and start of earlier headings, nearest last.
    for level, name, start in reversed(found):
        while following and following[-1][0] > level:
            following.pop()
        sections.append(Sketched(name, level, start, following[-1][1] if following else size))
        following.append((level, start))
    return sections[::-1]


def lookup(sections: Sequence[Sketched]) -> dict[str, Sketched]:
    """The first heading of each name, in lower case, as written and as sections are matched."""
    found: dict[str, Sketched] = {}
    for heading in sections:
        found.setdefault(heading.name.casefold(), heading)
    for heading in sections:
        found.setdefault(match_key(heading.name), heading)
    return found
