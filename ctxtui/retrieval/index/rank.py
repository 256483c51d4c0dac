"""The ranking: BM25 over path, heading and text, with a factor for adjacent words, within 0..1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ctxtui.retrieval.index.query import Query, Term
from ctxtui.retrieval.index.store import Stored

# The weight of a word in the heading, in path and headings above, and in metadata, relative to the text.
_HEADING: Final = 3.0
_PLACE: Final = 1.2
_ASIDE: Final = 0.1
_K1: Final = 1.2
_LENGTH_SHARE: Final = 0.75
_TOGETHER: Final = 0.2
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk and its score, higher than 0 and at most 1."""

    stored: Stored
    score: float


def rank(query: Query, found: Iterable[Stored], average: float) -> list[Ranked]:
    """Chunks by score, then path, then line."""
    ranked = [Ranked(stored, _score(query, stored, average)) for stored in found]
    return sorted(ranked, key=lambda each: (-each.score, each.stored.path, each.stored.row.start))


def _score(query: Query, stored: Stored, average: float) -> float:
    row = stored.row
    body, heading, place, aside = (text.split() for text in (row.body, row.heading, row.place, row.aside))
    length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * (len(body) + len(aside)) / max(average, 1)
    reached = 0.0
    for term in query.terms:
        count = _count(term, body) / length + _ASIDE * _count(term, aside) / length
        count += _HEADING * min(_count(term, heading), 1) + _PLACE * min(_count(term, place), 1)
        reached += term.weight * count / (count + _K1)
    share = reached / query.weight
    return max(round(share * _togetherness(query, row.body, row.heading), _DIGITS), 10**-_DIGITS)


def _count(term: Term, words: Sequence[str]) -> int:
    return sum(map(term.matches, words)) if term.is_prefix else words.count(term.word)


def _togetherness(query: Query, body: str, heading: str) -> float:
    """A factor up to 1 for words that follow each other in the text as they do in the prompt."""
    if not query.pairs:
        return 1.0
    text = f" {heading}  {body} "
    met = sum(f" {first} {second} " in text for first, second in query.pairs)
    return (1 + _TOGETHER * met / len(query.pairs)) / (1 + _TOGETHER)
