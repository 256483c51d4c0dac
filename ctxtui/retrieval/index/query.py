"""A prompt as a query: its keywords with their weights, and the adjacent pairs among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice, pairwise
from typing import Final

from ctxtui.retrieval.index.tokenizer import Words, is_dense

_MAX_TERMS: Final = 24
# Limits for an endless prompt: characters, different words.
_MAX_CHARACTERS: Final = 1_000_000
_MAX_DISTINCT: Final = 400
# The end of a prompt in which its last word is searched.
_TYPED_CHARACTERS: Final = 100
# Ranking this many chunks takes about 30 ms. Words found in more of them only affect the ranking.
_MAX_CHUNKS: Final = 4_000
_PAIRED: Final = 3
_SHORTEST_PREFIX: Final = 3
_STOP_WORDS: Final = (
    "a about all also am an and any are as at be because been before being between but by can could did do does doing"
    " don each for from get had has have having he her here him his how i if in into is it its just let like make may"
    " me might more most my need no not now of on one only or other our out over own please same she should show so"
    " some such tell than that the their them then there these they this those through to too up us use using used"
    " very want was way we were what when where which while who why will with would you your explain find give help"
    # The ends of "I'd", "we'll", "I'm", "it's", "don't" and "we've".
    " d ll m s t ve"
)

# The number of chunks that contain a term, or any term that begins with it.
Frequency = Callable[[str, bool], int]


@dataclass(frozen=True, slots=True)
class Term:
    """A query term, its weight (inverse document frequency), and the number of chunks that contain it."""

    word: str
    weight: float
    chunks: int
    is_prefix: bool = False

    def matches(self, word: str) -> bool:
        """Whether a term of a text is this term, or begins with it."""
        return word.startswith(self.word) if self.is_prefix else word == self.word

    @property
    def expression(self) -> str:
        """The term for FTS5. Terms contain no quotes, so nothing in them is syntax."""
        return f'"{self.word}" *' if self.is_prefix else f'"{self.word}"'


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a prompt, rarest first, and the adjacent pairs. Terms are `whole` words or `prefixes`."""

    terms: tuple[Term, ...]
    pairs: frozenset[tuple[str, str]] = frozenset()
    whole: Mapping[str, Term] = field(default_factory=dict, repr=False)
    prefixes: tuple[Term, ...] = ()

    @property
    def weight(self) -> float:
        return sum(term.weight for term in self.terms)

    def term(self, word: str) -> Term | None:
        """The query term that a term of a text equals or begins with, or None."""
        return self.whole.get(word) or next((term for term in self.prefixes if term.matches(word)), None)


def parse(prompt: str, words: Words, frequency: Frequency, size: int, is_typing: bool = False) -> Query | None:
    """The query of a prompt for an index of `size` chunks. None if none of its words is known.

    `frequency` counts the chunks with a term. Nothing is syntax. If the user `is_typing`, the last word may be
    incomplete.
    """
    typed = words.of(prompt[-_TYPED_CHARACTERS:]).rpartition(" ")[2] if is_typing and prompt[-1:].isalnum() else ""
    keywords = keywords_of(prompt, words, typed)
    found = (_term(word, frequency, size, word == typed) for word in keywords)
    terms = sorted((term for term in found if term.chunks), key=lambda term: term.chunks)[:_MAX_TERMS]
    if not terms:
        return None
    known = {term.word for term in terms}
    return Query(
        tuple(terms),
        frozenset(pair for pair in pairwise(keywords) if known.issuperset(pair)),
        {term.word: term for term in terms if not term.is_prefix},
        tuple(term for term in terms if term.is_prefix),
    )


def keywords_of(prompt: str, words: Words, kept: str = "") -> list[str]:
    """The terms of a prompt, each once, without stop words except `kept`. All of them if nothing else is left."""
    wanted = list(islice(_distinct_terms(prompt[:_MAX_CHARACTERS], words), _MAX_DISTINCT))
    stops = frozenset(words.of(_STOP_WORDS).split())
    return [word for word in wanted if word not in stops or word == kept] or wanted


def _term(word: str, frequency: Frequency, size: int, is_typed: bool) -> Term:
    """A word with its weight. A word being typed is shortened until a known word begins with it."""
    is_prefix = (is_typed and len(word) >= _SHORTEST_PREFIX) or (is_dense(word) and len(word) == 1)
    chunks = frequency(word, is_prefix)
    while is_typed and not chunks and len(word) > _SHORTEST_PREFIX:
        word = word[:-1]
        chunks = frequency(word, True)
    chunks = min(chunks, size)
    return Term(word, math.log(1 + (size - chunks + 0.5) / (chunks + 0.5)), chunks, is_prefix)


def _distinct_terms(prompt: str, words: Words) -> Iterator[str]:
    """The terms of a prompt, each once. In scripts without spaces, a character that ends a pair is no own term."""
    known: set[str] = set()
    for _, found in words.written(prompt):
        for before, word in zip(["", *found], found, strict=False):
            if word not in known and not (len(word) == 1 and is_dense(word) and before.endswith(word)):
                known.add(word)
                yield word


def expressions(query: Query) -> Iterator[str]:
    """The FTS5 expressions to try, in order, until enough chunks are found.

    The first finds chunks with a rare word or two common ones, the next a common word in the path or heading, the
    last the rarest of the common words anywhere.
    """
    rare: list[Term] = []
    for term in query.terms:
        if sum(each.chunks for each in rare) + term.chunks <= _MAX_CHUNKS:
            rare.append(term)
    common = [term for term in query.terms if term not in rare]
    chosen = [term.expression for term in rare]
    chosen += [f"({first.expression} AND {second.expression})" for first, second in combinations(common[:_PAIRED], 2)]
    if chosen:
        yield " OR ".join(chosen)
    if common:
        joined = " OR ".join(term.expression for term in common)
        yield f"{{place heading}} : ({joined})"
        yield common[0].expression
