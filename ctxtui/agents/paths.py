"""The paths of a project, and which of them a row of the table means."""

import bisect
import json
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxtui.agents.globs import compile_glob, is_literal
from ctxtui.agents.table import Agent, Row

MAX_NAMES = 200


class Texts:
    """Reads known files only, each at most once, and only when somebody asks."""

    def __init__(self, read: Callable[[str], str | None], known: Container[str]) -> None:
        self._read = read
        self._known = known
        self._texts: dict[str, str | None] = {}

    def __call__(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._read(path) if path in self._known else None
        return self._texts[path]


class Index:
    """Paths by base name and by hidden folder, because nearly every pattern names one of the two."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self._by_folder: defaultdict[str, list[str]] = defaultdict(list)
        self._found: dict[tuple[str, bool], tuple[str, ...]] = {}
        self.paths = dict.fromkeys(paths)
        for path in self.paths:
            self._by_name[path[path.rfind("/") + 1 :]].append(path)
            if path[:1] == "." or "/." in path:
                for folder in {part for part in path.split("/")[:-1] if part[:1] == "."}:
                    self._by_folder[folder].append(path)

    def find(self, pattern: str, below: bool = False) -> tuple[str, ...]:
        """The paths that match a pattern at the root, or in any folder below it."""
        key = (pattern, below)
        if key not in self._found:
            self._found[key] = tuple(self._search(pattern, below))
        return self._found[key]

    def under(self, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each folder with each path below it."""
        ordered = sorted(self.paths)
        for folder in folders:
            start = bisect.bisect_left(ordered, folder + "/")
            end = bisect.bisect_left(ordered, folder + "0", start)  # "0" is the character after "/"
            yield from ((folder, path) for path in ordered[start:end])

    def _search(self, pattern: str, below: bool) -> Iterable[str]:
        candidates = self._candidates(pattern)
        if not candidates or (is_literal(pattern) and not below):
            return [path for path in candidates if path == pattern]
        matches = compile_glob(f"*/**/{pattern}" if below else pattern).fullmatch
        return [path for path in candidates if matches(path)]

    def _candidates(self, pattern: str) -> Sequence[str]:
        *folders, name = pattern.split("/")
        if is_literal(name):
            return self._by_name.get(name, ())
        for folder in folders:
            if folder[:1] == "." and is_literal(folder):
                return self._by_folder.get(folder, ())
        return tuple(self.paths)


class Hit(NamedTuple):
    """A path that a row means, the folder it is about (`""`: the root), and what keeps it from loading."""

    path: str
    folder: str
    hidden_by: str | None = None


def is_found(agent: Agent, index: Index) -> bool:
    """Whether the project holds a file that betrays the use of an agent."""
    return any(index.find(pattern) for pattern in agent.detect)


def claimed(row: Row, index: Index) -> Iterator[str]:
    """The paths that the row's own patterns match, in their order; none for rows about the user's folder."""
    if row.at != "home":
        yield from (path for _, path in _matching(row, row.files, index))


def hits(row: Row, index: Index, texts: Texts) -> Iterator[Hit]:
    """The files a row means, root first, each marked when another file keeps it from loading."""
    if row.at == "home":
        return
    patterns = _names(row.listed_in, texts) if row.listed_in else row.files
    blocker = next((path for pattern in row.unless for path in index.find(pattern)), None)
    first: dict[str, str] = {}
    for folder, _, path in sorted(
        (_folder(row, pattern, path), patterns.index(pattern), path)
        for pattern, path in _matching(row, patterns, index)
    ):
        winner = first.setdefault(folder, path) if row.pick == "first" else path
        yield Hit(path, folder, blocker or (winner if winner != path else None))


def _matching(row: Row, patterns: Sequence[str], index: Index) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    outside = [compile_glob(pattern).fullmatch for pattern in row.exclude]
    for pattern in patterns:
        for path in index.find(pattern, below=row.at == "down"):
            if path not in seen and not any(matches(path) for matches in outside):
                seen.add(path)
                yield pattern, path


def _folder(row: Row, pattern: str, path: str) -> str:
    return path.rpartition("/" + pattern.split("/")[0])[0] if row.at == "down" else ""


def _names(listed_in: str, texts: Texts) -> tuple[str, ...]:
    file, _, keys = listed_in.partition("#")
    try:
        value = json.loads(texts(file) or "null")
    except (ValueError, RecursionError):
        return ()
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    names = value if isinstance(value, list) else [value]
    texts_only = (name.removeprefix("./") for name in names[:MAX_NAMES] if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in texts_only if 0 < len(name) <= MAX_NAMES))
