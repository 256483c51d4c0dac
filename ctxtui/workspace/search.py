"""Search over an opened project: in metadata, and in the texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Final

from ctxtui.catalog.search import SearchIndex
from ctxtui.catalog.types import ContextReference, SectionRef
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.documents.listing import CATALOG, ENTRIES
from ctxtui.core.text.markdown.document import FRONTMATTER, PREAMBLE, Document, Part
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import Cut
from ctxtui.workspace.workspace import Workspace

MOST_HITS: Final = 200
SCOPES: Final = {
    "meta": "tags, keywords, titles and triggers",
    "text": "the text of all documents",
    "entries": "the text of business entries",
}
"""The scopes of a search, with descriptions."""

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[A-Z]")
_SIGNS: Final = re.compile(r"[\W_]+")
# ASCII as `squeezed` makes it, in a fifth of the time.
_PLAIN: Final = {code: chr(code).lower() if chr(code).isalnum() else None for code in range(128)}
_MOST_WORDS = 16
# If these have enough hits, no further documents are read section by section.
_ENOUGH_DOCUMENTS = 60
_EXCERPT = 160
# Words in the heading match best, then adjacent words, then scattered words.
_NAMED, _IN_A_ROW, _SCATTERED = 1.0, 0.9, 0.7


def squeezed(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return text.translate(_PLAIN) if text.isascii() else _SIGNS.sub("", text).lower()


def initials(text: str) -> str:
    """The first letters of a name's words, which capitals or signs separate, and its numbers' first digits."""
    return "".join(word[0] for word in _WORDS.findall(text)).lower()


@dataclass(frozen=True, slots=True)
class Hit:
    """A found document, section or passage. `id` can be picked.

    `relevance` is within 0..1, `matched_on` names the matching fields, `line` is the first matching line, from 1, and
    `name` its section or symbol. `lines` are the first and last line of a passage that can be picked by itself,
    `terms` its matching words.
    """

    id: str
    reference: Reference
    relevance: float
    matched_on: tuple[str, ...]
    line: int | None = None
    excerpt: str = ""
    lines: tuple[int, int] | None = None
    terms: tuple[str, ...] = ()
    name: str = ""

    @property
    def matching(self) -> str:
        """The first matching line of the excerpt."""
        if self.lines is None or self.line is None:
            return self.excerpt
        shown = self.excerpt.split("\n")
        return shown[min(max(0, self.line - self.lines[0]), len(shown) - 1)].strip()


class Searcher:
    """Searches one snapshot. Builds its indexes on first use, so that it is worth keeping."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @cached_property
    def _meta_index(self) -> SearchIndex:
        return SearchIndex([catalog_reference(self.workspace, each) for each in self.workspace.references])

    @cached_property
    def paths(self) -> list[tuple[Reference, str]]:
        """Each document, with the letters and digits of its path in lower case."""
        return [(each, squeezed(each.path)) for each in self.workspace.references]

    def find(self, scope: str, query: str, domain: str | None = None, stop: Event | None = None) -> list[Hit]:
        """The hits in one of `SCOPES`, best first, at most `MOST_HITS`. `stop` ends a search of texts early."""
        if scope == "meta":
            return self.meta(query, domain)
        return self.text(query, domain, source=ENTRIES if scope == "entries" else None, stop=stop)

    def meta(self, query: str, domain: str | None = None) -> list[Hit]:
        """Documents by tags, keywords, titles and detection triggers (catalog specification 11), best first."""
        hits = []
        for result in self._meta_index.search(query):
            reference = self.workspace.by_id[result.reference.id]
            if domain is None or result.reference.domain == domain:
                hits.append(Hit(reference.id, reference, result.relevance, result.matched_on))
        return hits[:MOST_HITS]

    def text(
        self, query: str, domain: str | None = None, *, source: str | None = None, stop: Event | None = None
    ) -> list[Hit]:
        """Sections whose text contains words of the query, in any case, best first, at most `MOST_HITS`.

        `source` names the kind of documents to search, by default all kinds. Ends early with the hits so far once
        `stop` is set. Unreadable documents have no hits.
        """
        words = list({word.lower(): word for word in query.split()}.values())[:_MOST_WORDS]
        if not words:
            return []
        ranked = sorted(
            self._matching_documents(words, domain, source, stop), key=lambda each: (-each[0], each[1].id)
        )
        hits: list[Hit] = []
        for place, (_, reference, document) in enumerate(ranked):
            is_enough = place >= _ENOUGH_DOCUMENTS and len(hits) >= MOST_HITS
            if is_enough or (stop is not None and stop.is_set()):
                break
            hits += _section_hits(reference, document, words, query)
        hits.sort(key=lambda hit: (-hit.relevance, hit.reference.id, hit.line or 0))
        return hits[:MOST_HITS]

    def _matching_documents(
        self, words: Sequence[str], domain: str | None, source: str | None, stop: Event | None
    ) -> Iterator[tuple[float, Reference, Document]]:
        """The documents with a word in their body, each after its rank: more different words first, then more hits.

        Reads every document of the domain and source.
        """
        sought = [word.lower() for word in words]
        for reference in self.workspace.references:
            if stop is not None and stop.is_set():
                return
            if source not in (None, reference.source) or domain not in (None, reference.domain):
                continue
            try:
                document = self.workspace.document(reference)
            except ContextError:
                continue
            # Sections have no frontmatter.
            lowered = document.body.lower()
            counts = [lowered.count(word) for word in sought]
            found = sum(count > 0 for count in counts)
            if found:
                yield found + sum(min(count, 9) for count in counts) / (10 * len(words)), reference, document


def _section_hits(reference: Reference, document: Document, words: Sequence[str], query: str) -> Iterator[Hit]:
    """The sections whose own text contains a word, in the order of the document. `query` is the whole phrase."""
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    phrase = re.compile(r"\s+".join(map(re.escape, query.split())), re.IGNORECASE)
    for part in document.parts:
        # Metadata is another scope.
        own = document.own_text(part) if part.slug != FRONTMATTER else ""
        first = [match for pattern in patterns if (match := pattern.search(own))]
        if not first:
            continue
        whole = phrase.search(own)
        named = any(pattern.search(part.name) for pattern in patterns) if part.is_named else False
        share = len(first) / len(patterns)
        relevance = round(share * (_NAMED if named else _IN_A_ROW if whole else _SCATTERED), 4)
        at = (whole or min(first, key=lambda match: match.start())).start()
        line = document.lines.at(part.start + at) + 1
        id_ = reference.id if is_all(document, part) else str(Target(reference.id, part.slug))
        about = ("heading", "content") if named else ("content",)
        name = part.name if part.is_named else ""
        yield Hit(id_, reference, relevance, about, line, _line_excerpt(document, part.start + at), name=name)


def is_all(document: Document, part: Part) -> bool:
    """Whether a part is the whole text of a document without sections."""
    return part.slug == PREAMBLE and part.own_end == len(document.text)


def _line_excerpt(document: Document, offset: int) -> str:
    lines = document.lines
    line = lines.at(offset)
    start = max(lines.start(line), offset - _EXCERPT // 2)
    end = min(lines.start(line + 1), start + _EXCERPT)
    return Cut.of(document.text, [(start, end)]).redacted().strip()


def catalog_reference(workspace: Workspace, reference: Reference) -> ContextReference:
    """Any document as a reference (catalog specification 8). Files without metadata can also be found by name."""
    details = reference.details
    name = "" if reference.source == CATALOG else f" {reference.path.rpartition('/')[2].rpartition('.')[0]}"
    return ContextReference(
        id=reference.id,
        domain=reference.domain,
        title=f"{reference.title}{name}",
        type=details.type or "reference",
        estimated_tokens=details.declared_tokens or 0,
        loading_strategy=reference.strategy or "onDemand",
        sections=tuple(SectionRef(each.name, each.estimated_tokens or 0, each.keywords) for each in details.sections),
        tags=details.tags,
        cross_domain_triggers=details.cross_domain_triggers,
        detection_triggers=details.detection_triggers,
        path=f"{workspace.root}/{reference.path}",
    )
