"""A quick look at the headings of a text, to spare most files of a large project the parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import Sign, certain_headings, headings
from ctxtui.core.text.markdown.scan import is_rst, match_key


class Sketched(NamedTuple):
    """A heading: its text as written, its level, its start and the end of its section, in characters."""

    name: str
    level: int
    start: int
    end: int


def headings_of(document: Document) -> list[Sketched]:
    """The headings of a document, exactly; it is parsed only if a light scan cannot be sure."""
    found, shift = None if is_rst(document.path) else certain_headings(document.body), document.body_start
    if found is None:
        return [Sketched(part.name, part.level, part.start, part.end) for part in document.parts if part.level]
    sections = _closed(found, len(document.text) - shift)
    return [each._replace(start=each.start + shift, end=each.end + shift) for each in sections]


def sketch(text: str) -> list[Sketched]:
    """The headings outside fences; including any in comments, lists and quotes."""
    return _closed(headings(text), len(text))


def _closed(found: Sequence[Sign], size: int) -> list[Sketched]:
    sections: list[Sketched] = []
    following: list[tuple[int, int]] = []  # level and start of the headings already passed, the nearest last
    for level, name, start in reversed(found):
        while following and following[-1][0] > level:
            following.pop()
        sections.append(Sketched(name, level, start, following[-1][1] if following else size))
        following.append((level, start))
    return sections[::-1]


def lookup(sections: Sequence[Sketched]) -> dict[str, Sketched]:
    """The first heading of each name, as written and as sections are matched, in lower case."""
    found: dict[str, Sketched] = {}
    for heading in sections:
        found.setdefault(heading.name.casefold(), heading)
    for heading in sections:
        found.setdefault(match_key(heading.name), heading)
    return found
