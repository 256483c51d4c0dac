"""Path patterns of coding agents: parsing, properties, and matching paths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise

from ctxtui.agents.loads import GlobDialect, Scope
from ctxtui.core.text.globs import Glob, compile_glob

_EDGE = re.compile(r"[{},]")
_EVERYTHING = frozenset(("*", "**", "**/*"))
# One matcher of many patterns would exceed its memory limit.
_AT_ONCE = 16


class Trigger:
    """Scopes compiled for matching paths from the repository's root."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self._parts = [_CompiledScope(scope) for scope in dict.fromkeys(scopes)]

    def fires(self, path: str) -> bool:
        """Whether a glob of a scope matches a path, and no glob of the same scope excludes it."""
        return any(part.fires(path) for part in self._parts)

    @property
    def places(self) -> frozenset[str]:
        """Folders and files: each matching path is one of them or below one. `""` is the root."""
        return frozenset(place for part in self._parts for place in part.places)


class _CompiledScope:
    """A scope compiled for matching, and the `places` where its paths are."""

    def __init__(self, scope: Scope) -> None:
        dialect = scope.dialect
        plain = [glob for glob in scope.globs if not glob.startswith("!")] or ["**"]
        wanted = [each for glob in dict.fromkeys(plain) for each in whole_patterns(glob, dialect)]
        self._start = f"{scope.folder}/" if scope.folder else ""
        self._fold: Callable[[str], str] = str.lower if dialect.any_case else str
        self._wanted = _grouped_globs(wanted)
        barred = [each for glob in scope.globs if glob.startswith("!") for each in whole_patterns(glob[1:], dialect)]
        self._barred = _grouped_globs(barred)
        heads = {"" if dialect.any_case else literal_head(each.removeprefix("./")) for each in wanted}
        self.places = frozenset(f"{self._start}{head}".rstrip("/") for head in heads)

    def fires(self, path: str) -> bool:
        if not path.startswith(self._start):
            return False
        below = self._fold(path[len(self._start) :])
        wanted = any(glob.matches(below) for glob in self._wanted)
        return wanted and not any(glob.matches(below) for glob in self._barred)


class Triggers:
    """Triggers by folder, so that a path is compared only with triggers of its ancestors."""

    def __init__(self, sets: Iterable[Sequence[Scope]]) -> None:
        self._triggers = list(map(Trigger, sets))
        self._by_place: defaultdict[str, list[int]] = defaultdict(list)
        for number, trigger in enumerate(self._triggers):
            for place in trigger.places:
                self._by_place[place].append(number)

    def firing(self, path: str) -> Iterator[int]:
        """The positions of the triggers that fire for a path from the repository's root."""
        parts = path.split("/")
        near = ("", *("/".join(parts[:count]) for count in range(1, len(parts) + 1)))
        met = dict.fromkeys(number for place in near for number in self._by_place.get(place, ()))
        return (number for number in met if self._triggers[number].fires(path))


def whole_patterns(glob: str, dialect: GlobDialect) -> list[str]:
    """The patterns for whole paths that mean the same as a glob in a dialect, relative to the glob's folder.

    They are in lower case if the dialect ignores case.
    """
    if dialect.any_case:
        glob = glob.lower()
    if dialect.anywhere:
        return [glob if glob.startswith(("/", "**/")) else f"**/{glob}"]
    bare = glob.removeprefix("./")
    if dialect.slash:
        bare = bare.lstrip("/")
    if dialect.folders:
        bare = bare.rstrip("/")
    if not bare:
        return [glob]
    found = [bare]
    if dialect.names and "/" not in bare and bare != "**":
        found = [bare, f"**/{bare}"]
    if dialect.folders and bare.rpartition("/")[2] != "**":
        found += [f"{each}/**" for each in found]
    return found


def _grouped_globs(patterns: Iterable[str]) -> list[Glob]:
    rest, found = iter(dict.fromkeys(patterns)), list[Glob]()
    for some in iter(lambda: tuple(islice(rest, _AT_ONCE)), ()):
        together = compile_glob(*some)
        found += map(compile_glob, some) if together.is_refused else (together,)
    return found


def split_globs(text: str) -> tuple[str, ...]:
    """The patterns of a comma-separated list. Commas within braces do not separate, unless a brace stays open."""
    cuts, depth = [-1], 0
    for edge in _EDGE.finditer(text):
        if edge[0] != ",":
            depth = max(0, depth + (1 if edge[0] == "{" else -1))
        elif not depth:
            cuts.append(edge.start())
    if depth:
        cuts = [-1, *(edge.start() for edge in _EDGE.finditer(text) if edge[0] == ",")]
    pieces = (text[end + 1 : start].strip() for end, start in pairwise([*cuts, len(text)]))
    return tuple(filter(None, pieces))


def narrows(patterns: Iterable[str]) -> bool:
    """Whether there are patterns, and none of them matches every file."""
    given = frozenset(patterns)
    return bool(given) and not given & _EVERYTHING


def is_literal(pattern: str) -> bool:
    """Whether a pattern has no wildcard and no braces."""
    return not any(char in pattern for char in "*?[{")


def literal_head(pattern: str) -> str:
    """A literal pattern itself, otherwise the folder before its first wildcard, `""` if there is none."""
    parts = pattern.split("/")
    count = next((place for place, part in enumerate(parts) if not is_literal(part)), len(parts))
    return "/".join(parts[:count])


def below_head(patterns: Iterable[str], path: str) -> str:
    """The part of a path below the literal folder that begins the first fitting pattern, else the whole path."""
    for pattern in patterns:
        head = pattern.partition("*")[0]
        if head != pattern and head.endswith("/") and head in path:
            return path[path.find(head) + len(head) :]
    return path
