"""The files of a project by their worth for a task: what they say, what they are called, how they changed.

The factors were set on fixes of some repositories and measured on others: `ctxtui help finding`.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from posixpath import basename, dirname
from typing import Final, Literal

from ctxtui.core.documents.git_history import Change
from ctxtui.core.text.code.languages import language_of
from ctxtui.retrieval.index.tokenizer import Words
from ctxtui.retrieval.index.weigh import Match, Weighed
from ctxtui.session.suggest.task import Task
from ctxtui.workspace.related.tests import has_naming, is_test, tests_by_name

Kind = Literal["code", "test", "document", "translation", "log", "other"]
"""The role of a file in a task, by its path: code, tests, documents and their translations, logs, the rest."""

_LOG: Final = re.compile(
    r"(?:.*/)?(?:(?:change|release|histor|news|todo|upgrad|migrat|authors|contributors)[^/]*"
    r"|(?:\.?change[_-]?(?:log|set)s?|changes|release[_-]?notes|news(?:fragments)?)/.*)",
    re.IGNORECASE,
)
_DOCUMENT: Final = re.compile(r".*\.(?:mdx?|mdc|markdown|rst|adoc|txt|html?|ipynb|tex|po|pot|svg)", re.IGNORECASE)
_TRANSLATION: Final = re.compile(
    r"(?:.*[/._-])?(?:[a-z]{2}[-_](?:[A-Z]{2}|[A-Z][a-z]{3})|ar|cs|de|es|fr|hi|it|ja|ko|nl|pl|pt|ru|tr|uk|vi|zh)[/.].*"
)
_OTHER_CODE: Final = re.compile(r".*\.(?:pl|pm|sql|r|jl|hs|ml|clj|erl|nim)", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"(?:.*/)?(?:vendor(?:ed)?|third[_-]party|node_modules|dist|build|deps|external|generated|fixtures?|testdata"
    r"|single[_-]?(?:include|header)s?"
    r"|docs?|website|www|demos?|tutorials?|snippets|examples?|samples?|playgrounds?|bench(?:marks?)?|__snapshots__)/.*"
    r"|.*(?:\.min|\.bundle|\.g|_pb2?|\.pb|\.generated|-\d+(?:\.\d+)+)\..*",
    re.IGNORECASE,
)

_CALLED, _IN_FOLDER = 0.45, 0.3
_NAMED: Final = 1.0
_RECENT, _SIMILAR = 0.1, 0.3
# Documents, data and examples read like a task more often than they are its place.
_BESIDE_CODE: Final = 0.4
_TESTED, _TESTS_OF = 0.5, 8
# A test that reads like the task leads to what changed together with it, and the best files lead to their tests.
_TOGETHER, _TESTS_LIKE = 0.4, 5
_MOST_NAMED: Final = 3

Together = tuple[str, int, int]
"""A file that another changed with: its path, how often, and of how many of its changes."""

_NOTHING: Final = Match(0.0, 0.0, (), ())
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
    """The files that changed together with a file at least twice: how often, of how many changes of the file.

    Empty for a file with fewer than three changes.
    """
    own = [change.paths for change in changes if len(change.paths) <= _MOST_FILES and path in change.paths]
    if len(own) < _FEWEST:
        return {}
    found = Counter(each for paths in own for each in paths if each != path)
    return {each: (count, len(own)) for each, count in found.items() if count > 1}


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file and its score for a task. `tested` are files it tests by name, `together` the file it changed with."""

    path: str
    kind: Kind
    score: float
    match: Match
    tested: tuple[str, ...] = ()
    together: Together | None = None


class FileRanking:
    """The files of a snapshot ranked for one task, each list computed on first use.

    `weighed` has the worth of the task's words in the files, `changes` the commits, newest first.
    """

    def __init__(
        self, paths: Iterable[str], task: Task, weighed: Weighed, changes: Sequence[Change], words: Words
    ) -> None:
        self.task = task
        self.weighed = weighed
        self.words = words
        self._paths = frozenset(paths)
        self.changes = changes
        self._most = max(weighed.weights.values(), default=1.0)
        self._folders: dict[str, float] = {}

    @cached_property
    def is_of_documents(self) -> bool:
        """Whether the project has more documents than code and test files, so that a task is about documents."""
        kinds = Counter(map(kind_of, self._paths))
        return kinds["document"] > kinds["code"] + kinds["test"]

    @cached_property
    def history(self) -> History:
        return history_of(self.changes, self.task, self.words)

    @cached_property
    def lines(self) -> dict[str, tuple[int, ...]]:
        """The files that the task names by path, with the lines it names."""
        found: dict[str, tuple[int, ...]] = {}
        ends: dict[str, list[str]] = {}
        names = {basename(place.path) for place in self.task.places}
        for path in self._paths:
            if basename(path) in names:
                ends.setdefault(basename(path), []).append(path)
        for place in self.task.places:
            meant = [
                path
                for path in ends.get(basename(place.path), ())
                if f"/{path}".endswith(f"/{place.path}") or f"/{place.path}".endswith(f"/{path}")
            ]
            for path in meant if len(meant) <= _MOST_NAMED else ():
                found[path] = (*found.get(path, ()), *([place.line] if place.line else []))
        return found

    @cached_property
    def _by_task(self) -> list[RankedFile]:
        """The files with words of the task, named by the task, or changed in commits like the task, best first."""
        known = (self.weighed.files.keys() | self.history.similar.keys() | self.lines.keys()) & self._paths
        kinds = {path: kind_of(path) for path in known}
        return _sorted(
            RankedFile(path, kinds[path], self._score(path, kinds[path]), self._match(path)) for path in known
        )

    @cached_property
    def main(self) -> list[RankedFile]:
        """The files other than tests, best first: by their words, and by changes together with the best tests."""
        tests = [each for each in self._by_task if each.kind == "test"]
        together = self._together(tests[:_TESTS_LIKE])
        others = (each for each in self._by_task if each.kind != "test")
        return _sorted(_raised(each, *together.get(each.path, (0.0, None))) for each in others)

    @cached_property
    def tests(self) -> list[RankedFile]:
        """The tests, best first: by their words, the best files that they test, and changes together with these."""
        best = [each for each in self.main if each.kind == "code"][:_TESTS_OF]
        worth = {each.path: each.score for each in best}
        named = tests_by_name(self._paths, lambda _path: ())
        scores = {each.path: each.score for each in self._by_task if each.kind == "test"}
        of: dict[str, list[str]] = {}
        for each in best:
            for test in named.get(each.path, ()):
                of.setdefault(test, []).append(each.path)
        for test, paths in of.items():
            scores[test] = scores.get(test, 0.0) + _TESTED * worth[paths[0]]
        together = self._together(best[:_MOST_NAMED])
        tests = scores.keys() | {path for path in together if path in self._paths and kind_of(path) == "test"}
        return _sorted(
            _raised(
                RankedFile(path, "test", scores.get(path, 0.0), self._match(path), tuple(of.get(path, ()))),
                *together.get(path, (0.0, None)),
            )
            for path in tests
        )

    def _together(self, best: Sequence[RankedFile]) -> dict[str, tuple[float, Together]]:
        """The files that changed together with a file in `best`, and for each the gain in score and the evidence."""
        found: dict[str, tuple[float, Together]] = {}
        for each in best:
            for path, (count, every) in companions(self.changes, each.path).items():
                found.setdefault(path, (_TOGETHER * each.score * count / (every + 2), (each.path, count, every)))
        return found

    def _match(self, path: str) -> Match:
        return self.weighed.files.get(path, _NOTHING)

    def _score(self, path: str, kind: Kind) -> float:
        match = self._match(path)
        said = match.best + match.cover + self._called(path) + _NAMED * (path in self.lines)
        changed = _RECENT * self.history.recent.get(path, 0.0) + _SIMILAR * self.history.similar.get(path, 0.0)
        is_place = kind in ("code", "test") or (kind == "document" and self.is_of_documents)
        return (said + changed) * (1.0 if is_place else _BESIDE_CODE)

    def _called(self, path: str) -> float:
        """The score for the task's words in a file's name and in its folder's name, 0 without any."""
        name = set(self.words.of(basename(path).partition(".")[0]).split())
        said = [self.weighed.weights[word] for word in name if word in self.weighed.weights]
        called = len(said) / len(name) * max(said) / self._most if said else 0.0
        return _CALLED * called + _IN_FOLDER * self._in_folder(dirname(path))

    def _in_folder(self, folder: str) -> float:
        if folder not in self._folders:
            terms = self.words.of(folder).split()
            weights = (self.weighed.weights.get(word, 0.0) for word in terms)
            self._folders[folder] = max(weights, default=0.0) / self._most
        return self._folders[folder]


def _raised(file: RankedFile, score: float, together: Together | None) -> RankedFile:
    return replace(file, score=file.score + score, together=together)


def _sorted(files: Iterable[RankedFile]) -> list[RankedFile]:
    return sorted(files, key=lambda each: (-each.score, each.path))


@lru_cache(100_000)
def kind_of(path: str) -> Kind:
    """The role of a file by its path alone. Data, generated code, examples and other copies are `other`."""
    if is_test(path):
        return "test"
    language = language_of(path)
    if (language is not None and not language.is_data) or has_naming(path) or _OTHER_CODE.fullmatch(path):
        return "other" if _ASIDE.fullmatch(path) else "code"
    if _LOG.fullmatch(path):
        return "log"
    if not _DOCUMENT.fullmatch(path):
        return "other"
    return "translation" if _TRANSLATION.fullmatch(path) else "document"
