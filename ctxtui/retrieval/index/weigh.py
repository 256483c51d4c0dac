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
    lines_by_chunk = store.chunk_lines()
    counts = {word: count for word in words if (count := frequency(word))}
    weights = {
        word: words[word] * math.log(1 + (size - count + 0.5) / (count + 0.5))
        for word, count in counts.items()
        if size < _LARGE or count <= size * _EVERYWHERE
    }
    chunks: defaultdict[int, float] = defaultdict(float)
    best_by_path: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for word in weights:
        factor = weights[word] / max(_LEAST, math.log((size - counts[word] + 0.5) / (counts[word] + 0.5)))
        for chunk, weight in store.weights(word):
            if chunk not in lines_by_chunk:
                continue
            value = weight * factor
            chunks[chunk] += value
            best_words = best_by_path[lines_by_chunk[chunk][0]]
            if value > best_words.get(word, 0.0):
                best_words[word] = value
    return Weighed(weights, _match_by_path(chunks, best_by_path, lines_by_chunk, sum(weights.values()) * _MOST))


def _match_by_path(
    chunks: Mapping[int, float],
    best_by_path: Mapping[str, Mapping[str, float]],
    lines_by_chunk: Mapping[int, tuple[str, int, int]],
    maximum: float,
) -> dict[str, Match]:
    """The match of each file. `maximum` is the weight of a chunk that holds all words often."""
    inside: defaultdict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for chunk, value in chunks.items():
        path, start, end = lines_by_chunk[chunk]
        inside[path].append((value / maximum, start, end))
    matches: dict[str, Match] = {}
    for path, chunks_inside in inside.items():
        chunks_inside.sort(key=lambda each: (-each[0], each[1]))
        words = sorted(best_by_path[path], key=lambda word: (-best_by_path[path][word], word))
        matches[path] = Match(
            chunks_inside[0][0],
            sum(best_by_path[path].values()) / maximum,
            tuple(chunks_inside[:_BEST_CHUNKS]),
            tuple(words),
        )
    return matches
