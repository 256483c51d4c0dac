"""A quick scan of headings, so that few files of a large project need the parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import Sign, certain_headings
from ctxtui.core.text.markdown.scan import is_rst


class Sketched(NamedTuple):
    """A heading: its text as written, its level, its start and the end of its section, in characters."""

    name: str
    level: int
    start: int
    end: int


def headings_of(document: Document) -> list[Sketched]:
    """The exact headings of a document, which is parsed only if the quick scan is uncertain."""
    found, shift = None if is_rst(document.path) else certain_headings(document.body), document.body_start
    if found is None:
        return [Sketched(part.name, part.level, part.start, part.end) for part in document.parts if part.level]
    sections = _closed(found, len(document.text) - shift)
    return [each._replace(start=each.start + shift, end=each.end + shift) for each in sections]


def _closed(found: Sequence[Sign], size: int) -> list[Sketched]:
    sections: list[Sketched] = []
    following: list[tuple[int, int]] = []  # Level and start of earlier headings, nearest last.
    for level, name, start in reversed(found):
        while following and following[-1][0] > level:
            following.pop()
        sections.append(Sketched(name, level, start, following[-1][1] if following else size))
        following.append((level, start))
    return sections[::-1]
