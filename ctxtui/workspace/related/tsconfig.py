"""`tsconfig.json` and `jsconfig.json`: their path mappings for names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from posixpath import basename, dirname, join, normpath
from typing import Any, Final, NamedTuple

from ctxtui.workspace.related.json_files import JsonFiles, as_object, as_texts
from ctxtui.workspace.related.places import parents

_NAME: Final = re.compile(r"(?:ts|js)config(?:\.[\w-]+)?\.json")
_DEEPEST: Final = 10
_MOST: Final = 200
_LEAF: Final = "${configDir}"


class Pattern(NamedTuple):
    """A name, or a prefix and a suffix around a wildcard, and its paths."""

    head: str
    tail: str | None
    targets: tuple[str, ...]


class _Config(NamedTuple):
    patterns: tuple[Pattern, ...] = ()
    base: str | None = None


class Configs:
    def __init__(self, paths: Iterable[str], files: JsonFiles) -> None:
        self._paths, self._files = frozenset(paths), files
        self._known: dict[str, _Config] = {}

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._paths, key=lambda path: (len(basename(path)), path)):
            if _NAME.fullmatch(basename(path)):
                found.setdefault(dirname(path), []).append(path)
        return found

    def places(self, path: str, name: str) -> Iterator[str]:
        """The paths that a name in a file may mean, without their endings, the likeliest first."""
        for folder in parents(dirname(path)):
            for config in self._by_folder.get(folder, ())[:_MOST]:
                yield from _meant(self._config(config), name)

    def _config(self, path: str) -> _Config:
        if path not in self._known:
            self._known[path] = self._read(path, dirname(path), {path})
        return self._known[path]

    def _read(self, path: str, leaf: str, seen: set[str]) -> _Config:
        """A configuration with its bases. Each project file is read at most once."""
        data, folder = self._files.read(path), dirname(path)
        found = _Config()
        for name in as_texts(data.get("extends")):
            parent = self._extended(folder, name)
            if parent and parent not in seen and len(seen) < _DEEPEST:
                seen.add(parent)
                above = self._read(parent, leaf, seen)
                found = _Config(above.patterns or found.patterns, found.base if above.base is None else above.base)
        options = as_object(data.get("compilerOptions"))
        base = options.get("baseUrl")
        root = _inside(folder, leaf, base) if isinstance(base, str) else None
        base = found.base if root is None else root
        if isinstance(options.get("paths"), dict):
            below = root if root is not None else folder if found.base is None else found.base
            return _Config(tuple(_patterns(options["paths"], below, leaf)), base)
        return _Config(found.patterns, base)

    def _extended(self, folder: str, name: str) -> str | None:
        """The project file that a configuration extends. Packages are not searched."""
        place = _joined(folder, name) if name.startswith(".") else None
        return next((each for each in (place, f"{place}.json") if each in self._paths), None) if place else None


def _patterns(paths: dict[str, Any], folder: str, leaf: str) -> Iterator[Pattern]:
    for key, value in islice(paths.items(), _MOST):
        targets = (_inside(folder, leaf, each) for each in islice(as_texts(value), _MOST))
        head, star, tail = key.partition("*")
        yield Pattern(head, tail if star else None, tuple(each for each in targets if each is not None))


def _inside(folder: str, leaf: str, target: str) -> str | None:
    """A path of a configuration below the root. None outside."""
    if target.startswith(_LEAF):
        return _joined(leaf, target.removeprefix(_LEAF).lstrip("/"))
    return _joined(folder, target)


def _joined(folder: str, name: str) -> str | None:
    if name.startswith("/"):
        return None
    place = normpath(join(folder, name))
    return None if place == ".." or place.startswith("../") else "" if place == "." else place


def _meant(config: _Config, name: str) -> Iterator[str]:
    fitting = [each for each in config.patterns if fits(each, name)]
    for pattern in sorted(fitting, key=lambda each: (each.tail is not None, -len(each.head)))[:1]:
        yield from (filled(pattern, target, name) for target in pattern.targets)
    if config.base is not None:
        yield join(config.base, name)


def fits(pattern: Pattern, name: str) -> bool:
    if pattern.tail is None:
        return name == pattern.head
    fixed = len(pattern.head) + len(pattern.tail)
    return len(name) >= fixed and name.startswith(pattern.head) and name.endswith(pattern.tail)


def filled(pattern: Pattern, target: str, name: str) -> str:
    """A target with the pattern's `*` filled from a name."""
    if pattern.tail is None:
        return target
    return target.replace("*", name[len(pattern.head) : len(name) - len(pattern.tail)])
