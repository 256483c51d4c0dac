"""All files weighed by a task's words: the best chunk of each, and the words it holds anywhere."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ctxtui.retrieval.index.store import Store

# In a large project, a word in more than this share of the chunks tells nothing about one of them.
_EVERYWHERE: Final = 0.5
_LARGE: Final = 2_000
# The inverse document frequency of FTS5 for words in more than half of the rows.
_LEAST: Final = 1e-6
# BM25 approaches this times the inverse document frequency.
_MOST: Final = 2.2
_BEST_CHUNKS: Final = 6


@dataclass(frozen=True, slots=True)
class Match:
    """How much of a task one file holds, within 0..1: `best` in its best chunk, `cover` in all of its chunks.

    `chunks` are the best ones: share, first line from 0, end (excluded). `words` are its terms, most telling first.
    """

    best: float
    cover: float
    chunks: tuple[tuple[float, int, int], ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The known terms with their weights, and the matching files."""

    weights: Mapping[str, float]
    files: Mapping[str, Match]


def weigh(store: Store, words: Mapping[str, float], size: int, frequency: Callable[[str], int]) -> Weighed:
    """The files with any of a task's terms (given with factors), in a store of `size` chunks, weighed."""
    places = store.places()
    counts = {word: found for word in words if (found := frequency(word))}
    weights = {
        word: words[word] * math.log(1 + (size - found + 0.5) / (found + 0.5))
        for word, found in counts.items()
        if size < _LARGE or found <= size * _EVERYWHERE
    }
    chunks: defaultdict[int, float] = defaultdict(float)
    most: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for word in weights:
        factor = weights[word] / max(_LEAST, math.log((size - counts[word] + 0.5) / (counts[word] + 0.5)))
        for chunk, weight in store.weights(word):
            if chunk not in places:
                continue
            value = weight * factor
            chunks[chunk] += value
            held = most[places[chunk][0]]
            if value > held.get(word, 0.0):
                held[word] = value
    return Weighed(weights, _match_by_path(chunks, most, places, sum(weights.values()) * _MOST))


def _match_by_path(
    chunks: Mapping[int, float],
    most: Mapping[str, Mapping[str, float]],
    places: Mapping[int, tuple[str, int, int]],
    every: float,
) -> dict[str, Match]:
    inside: defaultdict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for chunk, value in chunks.items():
        path, start, end = places[chunk]
        inside[path].append((value / every, start, end))
    found: dict[str, Match] = {}
    for path, own in inside.items():
        own.sort(key=lambda each: (-each[0], each[1]))
        words = sorted(most[path], key=lambda word: (-most[path][word], word))
        found[path] = Match(own[0][0], sum(most[path].values()) / every, tuple(own[:_BEST_CHUNKS]), tuple(words))
    return found
