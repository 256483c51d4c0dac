"""The history as evidence: files that change often and lately, and files of changes that read like the task."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxtui.core.documents.git_history import Change
from ctxtui.retrieval.index.tokenizer import Words
from ctxtui.session.suggest.task import Task

# A commit that changes more files is a move or a reformat.
_MOST_FILES: Final = 30
_HALF_LIFE: Final = 100
_LEAST_ALIKE: Final = 0.15
_ALIKE: Final = 30
_MESSAGE: Final = 2_000
_FEWEST: Final = 3


@dataclass(frozen=True, slots=True)
class History:
    """For each file, within 0..1: how lately and often it changed, and how much in changes like the task.

    `alike` maps the ids of these changes to the share of the task's words in their messages.
    """

    recent: Mapping[str, float]
    similar: Mapping[str, float]
    alike: Mapping[str, float]


def history_of(changes: Sequence[Change], task: Task, words: Words) -> History:
    """The evidence in changes, which are given newest first."""
    changes = [change for change in changes if 0 < len(change.paths) <= _MOST_FILES]
    recent: defaultdict[str, float] = defaultdict(float)
    for age, change in enumerate(changes):
        weight = 0.5 ** (age / _HALF_LIFE) / math.sqrt(len(change.paths))
        for path in change.paths:
            recent[path] += weight
    most = math.log1p(max(recent.values(), default=0.0)) or 1.0
    likest = _likest(changes, task, words)
    similar: defaultdict[str, float] = defaultdict(float)
    for share, change in likest:
        for path in change.paths:
            similar[path] += share**3 / math.sqrt(len(change.paths))
    best = max(similar.values(), default=0.0) or 1.0
    return History(
        {path: math.log1p(weight) / most for path, weight in recent.items()},
        {path: weight / best for path, weight in similar.items()},
        {change.id: share for share, change in likest},
    )


def _likest(changes: Sequence[Change], task: Task, words: Words) -> list[tuple[float, Change]]:
    """The changes whose messages hold most of the task's words, best first, each after this share, within 0..1."""
    held = [task.words.keys() & set(words.of(change.message[:_MESSAGE]).split()) for change in changes]
    counts = Counter(word for each in held for word in each)
    size = len(changes)
    weights = {
        word: task.words[word] * math.log(1 + (size - count + 0.5) / (count + 0.5)) for word, count in counts.items()
    }
    every = sum(weights.values()) or 1.0
    # In sorted order, so that sums are the same in every process.
    shares = [sum(weights[word] for word in sorted(each)) / every for each in held]
    alike = [(share, age) for age, share in enumerate(shares) if share > _LEAST_ALIKE]
    alike.sort(key=lambda each: (-each[0], each[1]))
    return [(share, changes[age]) for share, age in alike[:_ALIKE]]


def companions(changes: Sequence[Change], path: str) -> dict[str, tuple[int, int]]:
    """The files that changed together with a file at least twice: how often, of how many changes of the file."""
    own = [change.paths for change in changes if len(change.paths) <= _MOST_FILES and path in change.paths]
    if len(own) < _FEWEST:
        return {}
    found = Counter(each for paths in own for each in paths if each != path)
    return {each: (count, len(own)) for each, count in found.items() if count > 1}
