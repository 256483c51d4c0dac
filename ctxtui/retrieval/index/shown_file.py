"""The hits of a search, and the files read again to show them: headings, and secrets hidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.code.parts import is_between
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import Heading, has_headings
from ctxtui.core.text.secrets import Secret, find_secrets, redacted
from ctxtui.retrieval.contract import ContextSnippet
from ctxtui.retrieval.index.chunks import light_headings
from ctxtui.retrieval.index.index import Reached


@dataclass(frozen=True, slots=True)
class Span:
    """A section: lines counted from 1, the end included, and the `slug` of a section that can be picked."""

    path: str
    start: int
    end: int
    slug: str | None = None


@dataclass(frozen=True)
class Reading:
    """A document and the secrets in it."""

    document: Document
    hidden: Sequence[Secret]

    @cached_property
    def _trailing(self) -> Sequence[Heading]:
        """The headings as the index finds them, or the symbols of code."""
        document = self.document
        if has_headings(document.path):
            return light_headings(document.path, document.text)
        symbols = (part for part in document.parts if part.level and not is_between(part.slug))
        return [Heading(part.name, part.level, part.line) for part in symbols]

    def source(self, line: int) -> str:
        """The heading path of a line, without secrets, or the file's path."""
        trail: list[Heading] = []
        for place in range(bisect_right(self._trailing, line, key=lambda heading: heading.line) - 1, -1, -1):
            heading = self._trailing[place]
            if not trail or heading.level < trail[0].level:
                trail.insert(0, heading)
            if heading.level == 1:
                break
        path = " / ".join(heading.name for heading in trail)
        return redacted(path, find_secrets(path), 0, len(path))[0] or self.document.path

    def section(self, line: int) -> Span:
        """The whole section of a line, by the document's exact structure. Parses the document."""
        parts = self.document.parts
        part = parts[max(0, bisect_right(parts, line, key=lambda part: part.line) - 1)]
        end = self.document.lines.at(max(part.start, part.end - 1)) + 1
        path = self.document.path
        return Span(path, part.line + 1, end, part.slug if part.level or has_headings(path) else None)


@dataclass(frozen=True, slots=True)
class Hit:
    """A snippet, the words of its content that matched, as written there, and the number of redacted secrets.

    `line` is the first matching line, from 1.
    """

    snippet: ContextSnippet
    matched: tuple[str, ...]
    redacted: int
    line: int
    _reading: Reading = field(repr=False, compare=False)

    @property
    def section(self) -> Span:
        """The whole section of the snippet, computed on first use."""
        return self._reading.section(self.line - 1)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, and notices. `reached` is the searched share of the project, None for all of it."""

    hits: tuple[Hit, ...] = ()
    notices: tuple[Notice, ...] = ()
    reached: Reached | None = None

    @property
    def snippets(self) -> list[ContextSnippet]:
        """The snippets alone, as the contract returns them."""
        return [hit.snippet for hit in self.hits]
