"""The files of a project by their worth for a task: what they say, what they are called, how they changed.

The factors were set on fixes of some repositories and measured on others: `ctxtui help finding`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from posixpath import basename, dirname
from typing import Final, Literal

from ctxtui.core.documents.git_history import Change
from ctxtui.core.text.code.languages import language_of
from ctxtui.retrieval.index.tokenizer import Words
from ctxtui.retrieval.index.weigh import Match, Weighed
from ctxtui.session.suggest.history import History, companions, history_of
from ctxtui.session.suggest.task import Task
from ctxtui.workspace.related.tests import has_naming, is_test, tests_by_name

Kind = Literal["code", "test", "document", "translation", "log", "aside", "other"]
"""What a file is for a task, by its path: code, tests, documents and their translations, logs, the rest."""

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
    r"|docs?|website|www|demos?|tutorials?|snippets|examples?|samples?|playgrounds?|bench(?:marks?)?|__snapshots__)/.*|.*(?:\.min\.|\.g\.|_pb2?\.|\.pb\.|\.generated\.).*",
    re.IGNORECASE,
)

_CALLED, _IN_FOLDER = 0.3, 0.2
_NAMED: Final = 1.0
_RECENT, _SIMILAR = 0.1, 0.12
_BEST_PART: Final = 0.3
_FACTORS: Final[Mapping[Kind, float]] = {
    "document": 0.6,
    "translation": 0.3,
    "log": 0.3,
    "other": 0.5,
    "aside": 0.6,
}
# What is changed often is not worth reading if it is no code.
_CHANGED_ASIDE: Final = 0.3
_TESTED, _TESTS_OF = 0.5, 8
_TOGETHER: Final = 0.4
_MOST_NAMED: Final = 3

_NOTHING: Final = Match(0.0, 0.0, (), ())


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file and its score. `tested` are files that it tests by its name, `together` the file it changed with."""

    path: str
    kind: Kind
    score: float
    match: Match
    tested: tuple[str, ...] = ()
    together: tuple[str, int, int] | None = None


class FileRanking:
    """The files of a snapshot ranked for one task."""

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
        """Whether documents are most of the project, so that a task is about them."""
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
    def main(self) -> list[RankedFile]:
        """Everything but tests, best first."""
        known = (self.weighed.files.keys() | self.history.similar.keys() | self.lines.keys()) & self._paths
        kinds = {path: kind_of(path) for path in known}
        found = [RankedFile(path, kinds[path], self._score(path, kinds[path]), self._match(path)) for path in known]
        self._all_tests = [each for each in found if each.kind == "test"]
        return _sorted(each for each in found if each.kind != "test")

    def with_parts(self, worth: Mapping[str, float]) -> list[RankedFile]:
        """Everything but tests, best first, with the worth of the best part of some files."""
        return _sorted(replace(each, score=each.score + _BEST_PART * worth.get(each.path, 0.0)) for each in self.main)

    @cached_property
    def tests(self) -> list[RankedFile]:
        """The tests, best first: what they say, whether they test the best files or changed with them."""
        best = [each for each in self.main if each.kind == "code"][:_TESTS_OF]
        named = tests_by_name(self._paths, lambda _path: ())
        scores = {each.path: each.score for each in self._all_tests}
        of: dict[str, list[str]] = {}
        for each in best:
            for test in named.get(each.path, ()):
                of.setdefault(test, []).append(each.path)
        for test, paths in of.items():
            scores[test] = scores.get(test, 0.0) + _TESTED * self._of(best, paths[0])
        together: dict[str, tuple[str, int, int]] = {}
        for each in best[:_MOST_NAMED]:
            for path, (count, every) in companions(self.changes, each.path).items():
                if path in self._paths and kind_of(path) == "test" and path not in together:
                    together[path] = (each.path, count, every)
                    scores[path] = scores.get(path, 0.0) + _TOGETHER * each.score * count / (every + 2)
        return _sorted(
            RankedFile(path, "test", score, self._match(path), tuple(of.get(path, ())), together.get(path))
            for path, score in scores.items()
        )

    @staticmethod
    def _of(files: Sequence[RankedFile], path: str) -> float:
        return next(each.score for each in files if each.path == path)

    def _match(self, path: str) -> Match:
        return self.weighed.files.get(path, _NOTHING)

    def _score(self, path: str, kind: Kind) -> float:
        match = self._match(path)
        said = match.best + match.cover + self._called(path) + _NAMED * (path in self.lines)
        changed = _RECENT * self.history.recent.get(path, 0.0) + _SIMILAR * self.history.similar.get(path, 0.0)
        if kind not in ("code", "test"):
            changed *= _CHANGED_ASIDE
        if kind == "document" and self.is_of_documents:
            return said + changed
        return said * _FACTORS.get(kind, 1.0) + changed

    def _called(self, path: str) -> float:
        """How far the words of the task are the file's name, and the name of its folder."""
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


def _sorted(files: Iterable[RankedFile]) -> list[RankedFile]:
    return sorted(files, key=lambda each: (-each.score, each.path))


@lru_cache(100_000)
def kind_of(path: str) -> Kind:
    if is_test(path):
        return "test"
    language = language_of(path)
    if (language is not None and not language.is_data) or has_naming(path) or _OTHER_CODE.fullmatch(path):
        return "aside" if _ASIDE.fullmatch(path) else "code"
    if _LOG.fullmatch(path):
        return "log"
    if not _DOCUMENT.fullmatch(path):
        return "other"
    return "translation" if _TRANSLATION.fullmatch(path) else "document"
