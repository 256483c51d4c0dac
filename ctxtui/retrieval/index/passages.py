"""The hits of a search: the best matching passage of a file, cut at lines and words, without secrets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import Heading, has_headings
from ctxtui.core.text.secrets import Secret, blank, find_secrets, redacted
from ctxtui.retrieval.contract import MAX_CONTENT, ContextSnippet
from ctxtui.retrieval.index.chunks import light_headings
from ctxtui.retrieval.index.index import Reached
from ctxtui.retrieval.index.prepare import Row
from ctxtui.retrieval.index.query import Query
from ctxtui.retrieval.index.tokenizer import Words, is_dense

_LEAD: Final = 240
_CHUNK: Final = re.compile(rf"\S.{{0,{MAX_CONTENT - 2}}}(?:(?<=\s)|(?=\s)|\Z)|\S{{{MAX_CONTENT}}}|\S+", re.DOTALL)
_CUT_WORD: Final = re.compile(r"\s+\S*\Z")
_CUT_MARK: Final = re.compile(r"\[redacted:?[^\]]*\Z")


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
    secrets: Sequence[Secret]
    cache: Cache

    @cached_property
    def _headings(self) -> Sequence[Heading]:
        """The headings as the index finds them, or the symbols of code."""
        document = self.document
        if has_headings(document.path):
            return light_headings(document.path, document.text)
        symbols = (part for part in document.parts if part.is_named)
        return [Heading(part.name, part.level, part.line) for part in symbols]

    def source(self, line: int) -> str:
        """The heading path of a line (counted from 0), without secrets, or else the file's path."""
        trail: list[Heading] = []
        for place in range(bisect_right(self._headings, line, key=lambda heading: heading.line) - 1, -1, -1):
            heading = self._headings[place]
            if not trail or heading.level < trail[0].level:
                trail.insert(0, heading)
            if heading.level == 1:
                break
        path = " / ".join(heading.name for heading in trail)
        return redacted(path, find_secrets(path, self.cache), 0, len(path))[0] or self.document.path

    def section(self, line: int) -> Span:
        """The whole section around a line (counted from 0), by the document's exact structure, which is parsed."""
        parts = self.document.parts
        part = parts[max(0, bisect_right(parts, line, key=lambda part: part.line) - 1)]
        end = self.document.lines.at(max(part.start, part.end - 1)) + 1
        path = self.document.path
        return Span(path, part.line + 1, end, part.slug if part.level or has_headings(path) else None)


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines, counted from 0, the end included, safe to show, and the words that matched.

    `line` is the first matching line, also from 0. `redacted` is the number of redacted secrets.
    """

    start: int
    end: int
    line: int
    content: str
    redacted: int
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line, or the part of a long line that fits into a passage: its offsets, and its terms with their weights."""

    start: int
    end: int
    terms: dict[str, float]


def find_passage(reading: Reading, row: Row, query: Query, words: Words) -> Passage | None:
    """The best passage of a chunk, or its beginning if only its path or ancestor headings match.

    None if the text has changed and no longer matches.
    """
    text, lines = reading.document.text, reading.document.lines
    low, high = lines.start(row.start), lines.start(row.end)
    pieces = list(_pieces(reading, low, high, query, words))
    if not any(piece.terms for piece in pieces):
        is_same = words.of(blank(text, reading.secrets, low, high)) == (row.body or row.aside)
        if not pieces or not is_same:
            return None
    first, last = _best_range(pieces)
    line = lines.at(pieces[first].start)
    first, last = _widened(pieces, first, last)
    low = pieces[first].start
    high = low + len(text[low : pieces[last].end].rstrip())
    content, count = redacted(text, reading.secrets, low, high)
    if len(content) > MAX_CONTENT:
        # Marks in place of secrets are longer than these. It is cut at a word.
        cut = content[:MAX_CONTENT]
        content = _CUT_MARK.sub("", _CUT_WORD.sub("", cut) or cut).rstrip()
    matched = tuple(dict.fromkeys(_matched_words(content, query, words)))
    return Passage(lines.at(low), lines.at(max(low, high - 1)), line, content, count, matched)


def _pieces(reading: Reading, low: int, high: int, query: Query, words: Words) -> Iterator[_Piece]:
    """The lines of a chunk that are not blank, as pieces that fit into a passage."""
    text = reading.document.text
    line = reading.document.lines.at(low)
    while low < high:
        line += 1
        end = min(reading.document.lines.start(line), high)
        spans = [(low, end)] if end - low <= MAX_CONTENT else [m.span() for m in _CHUNK.finditer(text, low, end)]
        for span in spans:
            if text[span[0] : span[1]].strip():
                # In text order, so that sums and ties are the same in every process.
                found = map(query.term, dict.fromkeys(words.of(blank(text, reading.secrets, *span)).split()))
                yield _Piece(*span, {term.word: term.weight for term in found if term})
        low = end


def _best_range(pieces: Sequence[_Piece]) -> tuple[int, int]:
    """The first and last piece, both included, of the range with the most weight. (0, 0) without a term.

    Distinct terms count first, then all mentions, in at most MAX_CONTENT characters. Ties go to the first range.
    """
    best, chosen = (0.0, 0.0), (0, 0)
    for first, piece in enumerate(pieces):
        if not piece.terms:
            continue
        terms: dict[str, float] = {}
        mentions = 0.0
        for last in range(first, len(pieces)):
            if pieces[last].end - piece.start > MAX_CONTENT:
                break
            if not pieces[last].terms:
                continue
            terms |= pieces[last].terms
            mentions += sum(pieces[last].terms.values())
            value = (sum(terms.values()), mentions)
            if value > best:
                best, chosen = value, (first, last)
    return chosen


def _widened(pieces: Sequence[_Piece], first: int, last: int) -> tuple[int, int]:
    """Pieces `first` to `last`, widened to MAX_CONTENT characters: by `_LEAD` before, then after, then before."""

    def fits(low: int, high: int, size: int) -> bool:
        return low >= 0 and high < len(pieces) and pieces[high].end - pieces[low].start <= size

    lead = min(MAX_CONTENT, pieces[last].end - pieces[first].start + _LEAD)
    while fits(first - 1, last, lead):
        first -= 1
    while fits(first, last + 1, MAX_CONTENT):
        last += 1
    while fits(first - 1, last, MAX_CONTENT):
        first -= 1
    return first, last


def _matched_words(content: str, query: Query, words: Words) -> Iterator[str]:
    """The words of a content that match, as written, in order, with repeats."""
    for written, found in words.written(content):
        for word in found:
            if query.term(word):
                if not is_dense(word):
                    yield written
                elif word in content:
                    yield word


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
