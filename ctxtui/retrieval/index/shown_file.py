"""A file, read again to show its hits: its lines, its headings, and its secrets hidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import Heading, has_headings
from ctxtui.core.text.secrets import Secret, find_secrets, redacted
from ctxtui.retrieval.index.chunks import outline


@dataclass(frozen=True, slots=True)
class Span:
    """A section: lines counted from 1, the end included, and the `slug` of a section that can be picked."""

    path: str
    start: int
    end: int
    slug: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    document: Document
    lines: Lines
    headings: Sequence[Heading]
    hidden: Sequence[Secret]

    @staticmethod
    def of(document: Document, cache: Cache | None = None) -> Reading:
        text = document.text
        return Reading(document, Lines.of(text), tuple(outline(document.path, text, cache)), find_secrets(text))

    def source(self, line: int) -> str:
        """The heading path of a line, without secrets, or the file's path."""
        trail: list[Heading] = []
        for heading in self.headings[: bisect_right(self.headings, line, key=lambda heading: heading.line)]:
            trail = [each for each in trail if each.level < heading.level]
            trail.append(heading)
        path = " / ".join(heading.name for heading in trail)
        return redacted(path, find_secrets(path), 0, len(path))[0] or self.document.path

    def section(self, line: int) -> Span:
        """The whole section of a line, by the document's exact structure. Parses the document."""
        parts = self.document.parts
        part = parts[max(0, bisect_right(parts, line, key=lambda part: part.line) - 1)]
        end = self.lines.at(max(part.start, part.end - 1)) + 1
        path = self.document.path
        return Span(path, part.line + 1, end, part.slug if part.level or has_headings(path) else None)
