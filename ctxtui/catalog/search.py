"""Search over metadata: tags, section keywords, titles and detection triggers (catalog specification 11)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import log

from ctxtui.catalog.text_match import STOP, words
from ctxtui.catalog.types import ContextReference, SearchResult

# In the order in which results name them, each with the weight of a match.
_FIELDS = (("tag", 1.0), ("keyword", 0.8), ("title", 0.9), ("detectionTrigger", 0.7))
_PREFIX = 0.6
_ELSEWHERE = 0.8
_SHORTEST_PREFIX = 3
_LONGEST_QUERY = 2_000
_MOST_TERMS = 32
_TOKEN = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_][^\W_]++)+")


class SearchIndex:
    """An inverted index from metadata words to references."""

    def __init__(self, references: Sequence[ContextReference]) -> None:
        self._references = sorted(references, key=lambda reference: reference.id)
        # For each word, the bit set of its fields by file number.
        self._postings: dict[str, dict[int, int]] = {}
        for number, reference in enumerate(self._references):
            keywords = [keyword for section in reference.sections for keyword in section.keywords]
            fields = (reference.tags, keywords, (reference.title,), reference.detection_triggers)
            for field, texts in enumerate(fields):
                for token in {token for text in texts for token in _tokens(text)}:
                    posting = self._postings.setdefault(token, {})
                    posting[number] = posting.get(number, 0) | 1 << field
        self._vocabulary = sorted(self._postings)

    @cached_property
    def _domains(self) -> dict[str, set[str]]:
        """The domains by the words of their names, if there are several."""
        found: dict[str, set[str]] = {}
        domains = {reference.domain for reference in self._references}
        for domain in domains if len(domains) > 1 else ():
            for word in words(domain):
                found.setdefault(word, set()).add(domain)
        return found

    def search(self, query: str) -> list[SearchResult]:
        """Find files that match at least one word of the query, best first, ties by id.

        Relevance is within 0..1: the share of the query's words that a file matches, weighted by the best field and
        by rarity. A word that is a domain's name favors its files.
        """
        asked = list(dict.fromkeys(words(query[:_LONGEST_QUERY])))
        terms = ([word for word in asked if word not in STOP] or asked)[:_MOST_TERMS]
        scores: dict[int, float] = {}
        fields_by_number: dict[int, int] = {}
        every = 1 + len(self._references)
        # Rare words count more.
        weights = {term: 1.0 + log(every / (1 + len(self._postings.get(term, ())))) for term in terms}
        for term, weight in weights.items():
            for number, best_weight in self._matches(term, fields_by_number).items():
                scores[number] = scores.get(number, 0.0) + best_weight * weight
        named = {domain for term in terms for domain in self._domains.get(term, ())}
        for number in scores if named else ():
            if self._references[number].domain not in named:
                scores[number] *= _ELSEWHERE
        total = sum(weights.values())
        relevance = {number: round(min(1.0, score / total), 4) for number, score in scores.items()}
        best = sorted(relevance, key=lambda number: (-relevance[number], number))
        return [
            SearchResult(self._references[each], relevance[each], _FIELD_NAMES[fields_by_number[each]])
            for each in best
        ]

    def _matches(self, term: str, fields_by_number: dict[int, int]) -> dict[int, float]:
        """The weight of the best field that a term matches, by file number. Adds the fields to `fields_by_number`."""
        best: dict[int, float] = {}
        for token, factor in self._matching_words(term):
            weights = [weight * factor for weight in _BEST_WEIGHTS]
            for number, fields in self._postings[token].items():
                if weights[fields] > best.get(number, 0.0):
                    best[number] = weights[fields]
                fields_by_number[number] = fields_by_number.get(number, 0) | fields
        return best

    def _matching_words(self, term: str) -> Iterator[tuple[str, float]]:
        """The indexed words that are the term or begin with it, each with a factor for its weight."""
        if term in self._postings:
            yield term, 1.0
        if len(term) < _SHORTEST_PREFIX:
            return
        for position in range(bisect_left(self._vocabulary, term), len(self._vocabulary)):
            token = self._vocabulary[position]
            if not token.startswith(term):
                return
            if token != term:
                yield token, _PREFIX


# By a bit set of fields, in which bit 0 is the first of `_FIELDS`.
_FIELD_SETS = [[field for position, field in enumerate(_FIELDS) if bits & 1 << position] for bits in range(16)]
_BEST_WEIGHTS = [max((weight for _, weight in fields), default=0.0) for fields in _FIELD_SETS]
_FIELD_NAMES = [tuple(name for name, _ in fields) for fields in _FIELD_SETS]


def _tokens(text: str) -> list[str]:
    """The words of a text, then its compounds, such as `sql-injection`, each as one word."""
    return words(text) + [match[0].lower().replace("_", "-") for match in _TOKEN.finditer(text)]
