"""The results of a search besides the snippets themselves: sections, matched words, notices."""

from __future__ import annotations

from dataclasses import dataclass, field

from ctxtui.core.base.notices import Notice
from ctxtui.retrieval.contract import ContextSnippet
from ctxtui.retrieval.index.index import Reached
from ctxtui.retrieval.index.shown_file import Reading, Span


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
