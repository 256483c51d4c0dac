"""The parts of the best files by their worth for a task: symbols of code, sections of documents, else some lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.documents.git_history import read_written_lines
from ctxtui.core.text.code.languages import is_data
from ctxtui.core.text.markdown.document import FRONTMATTER, Document, Part
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.suggest.rank_files import FileRanking, RankedFile
from ctxtui.workspace.workspace import Workspace

# The weight of a word in a part's name, and in the names around it or the path, relative to its text.
_NAME, _AROUND = 5.0, 2.0
_K1, _LENGTH_SHARE = 1.2, 0.15
_USUAL, _LONGEST = 1_200, 8_000
_OF_FILE, _ALIKE = 0.25, 0.1
# What is left for each part behind another of its file with the same words, such as a twin or the next overload.
_AGAIN: Final = 0.9
# What is left for parts behind the first of their file. Less would take them from large payloads.
_FURTHER, _FIRST = 0.8, 4
_NAMED, _ON_LINE = 0.1, 1.0
# A file of at most so many tokens is not parted.
_SHORT: Final = 600
# A closing bracket, a heading alone: nothing to read.
_FEWEST: Final = 12
# Code between symbols, the frame of a type around its members, data such as YAML.
_BESIDE: Final = 0.4


@dataclass(frozen=True, slots=True)
class RankedPart:
    """A part of a file that can be picked, its tokens, and why: the terms in it, whether the task names it or a line.

    `name` is the symbol or heading, empty for lines. `worth` is the share of the task in its text and names, `factor`
    how much a part of its kind counts. `alike` says how far its lines were written by changes like the task.
    """

    id: str
    file: RankedFile
    name: str
    tokens: int
    worth: float
    words: tuple[str, ...]
    factor: float = 1.0
    is_named: bool = False
    line: int | None = None
    alike: float = 0.0
    score: float = 0.0


_Written = Mapping[str, Mapping[str, frozenset[str]]]
"""The lines that changes wrote, by change id and path."""


class PartRanking:
    """Ranks the parts of files for the task of a `FileRanking`. Reads the files."""

    def __init__(self, workspace: Workspace, ranking: FileRanking, counter: TokenCounter) -> None:
        self._workspace = workspace
        self._ranking = ranking
        self._counter = counter
        self._weights = ranking.weighed.weights
        self._every = sum(self._weights.values()) or 1.0

    def best(self, files: Sequence[RankedFile], with_history: bool = False) -> list[RankedPart]:
        """The parts of the readable files, best first, each text once. `with_history` rates their changes, too.

        The files are read, and with history git is asked.
        """
        most = max((each.score for each in files), default=0.0) or 1.0
        paths = [each.path for each in files] if with_history else []
        alike = [each for each in self._ranking.changes if each.id in self._ranking.history.alike]
        written = read_written_lines(self._workspace.root, alike, paths)
        found = [part for each in files for part in self._parts(each, written)]
        likest = max((part.alike for part in found), default=0.0) or 1.0
        for place, part in enumerate(found):
            said = part.worth + _OF_FILE * part.file.score / most + _ALIKE * part.alike / likest
            named = _NAMED * part.is_named + _ON_LINE * (part.line is not None)
            found[place] = replace(part, score=part.factor * said + named)
        found = _varied(found)
        # A copy in another folder reads the same.
        first = {(part.name, part.tokens, part.worth, part.line): part for part in reversed(found)}
        return [part for part in found if first[part.name, part.tokens, part.worth, part.line] is part]

    def _parts(self, file: RankedFile, written: _Written) -> Iterator[RankedPart]:
        """The parts of a file with words of the task or lines that it names, not yet scored. None if unreadable."""
        reference = self._workspace.by_path.get(file.path)
        if reference is None or reference.large is not None:
            return
        try:
            document = self._workspace.document(reference)
        except ContextError:
            return
        parts = document.parts
        if all(not part.level for part in parts):
            yield from self._lines(reference, document, file)
            return
        sizes = self._workspace.reader.part_tokens(document, self._counter)
        lines, starts = self._ranking.lines.get(file.path, ()), document.lines
        for part, size in zip(parts, sizes, strict=True):
            if part.slug == FRONTMATTER or size < _FEWEST:
                continue
            own, around = document.own_text(part), [each.name for each in document.lineage(part)]
            worth, words = self._worth(own, part.name, " ".join((file.path, *around)))
            first, last = part.line + 1, starts.at(part.start + len(own.rstrip())) + 1
            line = next((each for each in lines if first <= each <= last), None)
            # A pick of a part brings the parts nested in it.
            section = f"L{first}-L{last}" if part.children else part.slug
            if words or line is not None:
                yield RankedPart(
                    str(Target(reference.id, section)),
                    file,
                    part.slug,
                    size,
                    worth,
                    words,
                    _factor(part, file),
                    part.is_named and _last(part.name) in self._ranking.task.names,
                    line,
                    self._alike(written, file.path, own),
                )

    def _worth(self, text: str, name: str = "", around: str = "") -> tuple[float, tuple[str, ...]]:
        """The share of the task in a text and its name, and the task's words in both, those of most worth first.

        Words of `around`, the name of the enclosing class, add a little to the share, but are not among the words.
        """
        body, named, above = self._counted(text), self._counted(name), self._counted(around)
        length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * min(len(text), _LONGEST) / _USUAL
        worth: dict[str, float] = {}
        for word in {**body, **named, **above}:
            count = body.get(word, 0) / length + _NAME * named.get(word, 0) + _AROUND * (word in above)
            worth[word] = self._weights[word] * count / (count + _K1)
        own = sorted({**body, **named}, key=lambda word: (-worth[word], word))
        return math.fsum(worth.values()) / self._every, tuple(own)

    def _alike(self, written: _Written, path: str, text: str) -> float:
        """The likeness to the task, each within 0..1, of all changes that wrote a line of the text, added up."""
        lines = frozenset(map(str.strip, text.split("\n"))) if written else frozenset()
        wrote = (id_ for id_, by_path in written.items() if lines & by_path.get(path, frozenset()))
        return math.fsum(self._ranking.history.alike[id_] for id_ in wrote)

    def _counted(self, text: str) -> Mapping[str, int]:
        return Counter(word for word in self._ranking.words.of(text).split() if word in self._weights)

    def _lines(self, reference: Reference, document: Document, file: RankedFile) -> Iterator[RankedPart]:
        """Ranked parts of a file without sections: the whole if it is short, else its best chunks, in whole lines."""
        tokens = self._workspace.tokens(reference, self._counter)
        if tokens <= _SHORT:
            tokens -= self._workspace.reader.front_tokens(document, self._counter)
            yield RankedPart(reference.id, file, "", tokens, *self._worth(document.body))
            return
        starts = document.lines
        for _, start, end in file.match.chunks:
            text = starts.text(document.text, start + 1, end)
            id_ = str(Target.of_lines(reference.id, start + 1, end))
            yield RankedPart(id_, file, "", self._workspace.reader.count(text, self._counter), *self._worth(text))


def _varied(parts: Sequence[RankedPart]) -> list[RankedPart]:
    """The parts, best first, with lower scores for the same words again and for further parts of one file."""
    twins: Counter[tuple[str, frozenset[str]]] = Counter()
    of_file: Counter[str] = Counter()
    found: list[RankedPart] = []
    for part in sorted(parts, key=_sort_key):
        path, same = part.file.path, (part.file.path, frozenset(part.words))
        further = _FURTHER if of_file[path] >= _FIRST else 1.0
        found.append(replace(part, score=part.score * further * _AGAIN ** twins[same]))
        of_file[path] += 1
        twins[same] += 1
    return sorted(found, key=_sort_key)


def _sort_key(part: RankedPart) -> tuple[float, int, str]:
    return -part.score, part.id.count("/"), part.id


def _factor(part: Part, file: RankedFile) -> float:
    factor = 1.0 if part.is_named and not is_data(file.path) else _BESIDE
    is_frame = bool(part.children) and file.kind not in ("document", "translation")
    return factor * _BESIDE if is_frame else factor


def _last(name: str) -> str:
    """The name of a symbol without its owner and parameters."""
    return name.partition("(")[0].partition("<")[0].replace("::", ".").rpartition(".")[2].strip("*&~ ")
