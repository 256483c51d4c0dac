"""Modules of TypeScript and JavaScript: packages, `tsconfig.json` and other JSON files, resolution of specifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from posixpath import basename, dirname, join, normpath
from typing import Any, Final, NamedTuple

from ctxtui.core.base.batches import grouped
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.jsonc import load_jsonc
from ctxtui.workspace.related.places import distance, is_aside, parents
from ctxtui.workspace.workspace import Workspace

_NAME: Final = re.compile(r"(?:ts|js)config(?:\.[\w-]+)?\.json")
_LONGEST_CHAIN: Final = 10
_LEAF: Final = "${configDir}"

_FILE: Final = "package.json"
_MAINS: Final = ("source", "module", "main", "types")
_DEEPEST: Final = 8
_MOST: Final = 200
# Folders of build results. Their sources are in `src` or beside.
_BUILT: Final = re.compile(r"(?:dist|build|lib|out|es|esm|cjs|umd|types)/(?:(?:esm|cjs|es|types|prod|dev)/)?")
_ENDING: Final = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?\Z")

ENDINGS: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")

_TRIED: Final = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
# Source endings of a compiled ending.
_MEANT: Final = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}


class JsonFiles:
    """Objects of the JSON files that a workspace lists, each version read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def read(self, path: str) -> dict[str, Any]:
        """The object in a listed file, empty if there is none."""
        reference = self._workspace.by_path.get(path)
        if reference is None or reference.large or reference.ignored:
            return {}
        key = ("json", reference.path, reference.stamp)
        found: dict[str, Any] = self._workspace.reader.derived.get(key, lambda: self._read(path))
        return found

    def _read(self, path: str) -> dict[str, Any]:
        try:
            return _as_object(load_jsonc((self._workspace.text(path) or "").removeprefix("\ufeff")))
        except DataProblem:
            return {}


def _as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_texts(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each


class Pattern(NamedTuple):
    """A name (`tail` is None), or the `head` and `tail` around a wildcard, and the paths that it stands for."""

    head: str
    tail: str | None
    targets: Iterable[str]

    @staticmethod
    def of(key: str, targets: Iterable[str]) -> Pattern:
        head, star, tail = key.partition("*")
        return Pattern(head, tail if star else None, targets)

    def fits(self, name: str) -> bool:
        if self.tail is None:
            return name == self.head
        fixed = len(self.head) + len(self.tail)
        return len(name) >= fixed and name.startswith(self.head) and name.endswith(self.tail)

    def filled(self, name: str) -> Iterator[str]:
        """The targets, with the pattern's `*` filled from a name that fits."""
        if self.tail is None:
            return iter(self.targets)
        inner = name[len(self.head) : len(name) - len(self.tail)]
        return (target.replace("*", inner) for target in self.targets)


class _Config(NamedTuple):
    patterns: tuple[Pattern, ...] = ()
    base: str | None = None


class Configs:
    def __init__(self, paths: Iterable[str], files: JsonFiles) -> None:
        self._paths, self._files = frozenset(paths), files
        self._known: dict[str, _Config] = {}

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        named = [path for path in self._paths if _NAME.fullmatch(basename(path))]
        named.sort(key=lambda path: (len(basename(path)), path))
        return grouped((dirname(path), path) for path in named)

    def places(self, path: str, name: str) -> Iterator[str]:
        """The paths that a name in a file may mean, without their endings, the likeliest first."""
        for folder in parents(dirname(path)):
            for config in self._by_folder.get(folder, ())[:_MOST]:
                if config not in self._known:
                    self._known[config] = self._read(config, folder, {config})
                known = self._known[config]
                yield from _best(known.patterns, name)
                if known.base is not None:
                    yield join(known.base, name)

    def _read(self, path: str, leaf: str, seen: set[str]) -> _Config:
        """A configuration with its bases, each read once. `leaf` is the first one's folder, `seen` those read."""
        data, folder = self._files.read(path), dirname(path)
        patterns, base = self._inherited(_as_texts(data.get("extends")), folder, leaf, seen)
        options = _as_object(data.get("compilerOptions"))
        given = options.get("baseUrl")
        own = _inside(folder, leaf, given) if isinstance(given, str) else None
        base = base if own is None else own
        if isinstance(options.get("paths"), dict):
            patterns = tuple(_patterns(options["paths"], folder if base is None else base, leaf))
        return _Config(patterns, base)

    def _inherited(self, names: Iterable[str], folder: str, leaf: str, seen: set[str]) -> _Config:
        """The configurations that one extends, the last first. Configurations in packages are ignored."""
        found = _Config()
        for name in names:
            place = _joined_inside(folder, name) if name.startswith(".") else None
            parent = next((each for each in (place, f"{place}.json") if each in self._paths), None) if place else None
            if parent and parent not in seen and len(seen) < _LONGEST_CHAIN:
                seen.add(parent)
                above = self._read(parent, leaf, seen)
                found = _Config(above.patterns or found.patterns, found.base if above.base is None else above.base)
        return found


def _patterns(paths: dict[str, Any], folder: str, leaf: str) -> Iterator[Pattern]:
    for key, value in islice(paths.items(), _MOST):
        targets = (_inside(folder, leaf, each) for each in islice(_as_texts(value), _MOST))
        yield Pattern.of(key, tuple(each for each in targets if each is not None))


def _inside(folder: str, leaf: str, target: str) -> str | None:
    """A configuration's path as a path below the root. None outside. `leaf` is the folder for `${configDir}`."""
    if target.startswith(_LEAF):
        return _joined_inside(leaf, target.removeprefix(_LEAF).lstrip("/"))
    return _joined_inside(folder, target)


def _joined_inside(folder: str, name: str) -> str | None:
    if name.startswith("/"):
        return None
    place = normpath(join(folder, name))
    return None if place == ".." or place.startswith("../") else "" if place == "." else place


def _best(patterns: Iterable[Pattern], name: str) -> Iterator[str]:
    """The targets of the pattern that fits a name best: the name itself, else the longest beginning."""
    fitting = (each for each in patterns if each.fits(name))
    best = min(fitting, key=lambda each: (each.tail is not None, -len(each.head)), default=None)
    return best.filled(name) if best else iter(())


class Packages:
    """The packages of a project by their `package.json`: names, exports and internal imports."""

    def __init__(self, paths: Iterable[str], files: JsonFiles) -> None:
        self._paths = [path for path in paths if path == _FILE or path.endswith(f"/{_FILE}")]
        self._files = files

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        named = ((self._files.read(path).get("name"), dirname(path)) for path in self._paths)
        return grouped((name, folder) for name, folder in named if name and isinstance(name, str))

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(map(dirname, self._paths))

    def places(self, path: str, name: str) -> Iterator[str]:
        """The paths that a bare name in a file may mean, the likeliest first."""
        if name.startswith("#"):
            # It is in the `imports` of the package around the file.
            folder = next((each for each in parents(dirname(path)) if each in self._folders), None)
            if folder is not None:
                for target in _targets(_as_object(self._files.read(join(folder, _FILE)).get("imports")), name):
                    yield from _source_candidates(folder, target)
            return
        words = name.split("/")
        size = 2 if name.startswith("@") else 1
        folders = self._by_name.get("/".join(words[:size]), ())
        seen = [each for each in folders if not is_aside(each, dirname(path))]
        for folder in sorted(seen, key=lambda each: distance(dirname(path), each))[:_DEEPEST]:
            yield from self._exported(folder, "/".join(words[size:]))

    def _exported(self, folder: str, inner: str) -> Iterator[str]:
        """The paths that a package in `folder` may export under the subpath `inner`, the likeliest first."""
        data = self._files.read(join(folder, _FILE))
        key = f"./{inner}" if inner else "."
        exports = data.get("exports")
        if not isinstance(exports, dict) or not any(each.startswith(".") for each in exports):
            exports = {".": exports}
        targets = list(_targets(exports, key))
        if inner:
            # One bundle may contain all exports. The source with the same name is nearer.
            yield from (join(folder, each.removeprefix("./")) for each in targets)
            yield from (join(folder, "src", inner), join(folder, inner))
        for target in targets:
            yield from _source_candidates(folder, target)
        if inner:
            return
        for field in _MAINS:
            if isinstance(data.get(field), str):
                yield from _source_candidates(folder, data[field])
        yield from (join(folder, "src/index"), join(folder, "index"))


def _targets(table: dict[str, Any], key: str) -> Iterator[str]:
    """The targets of a key in `exports` or `imports`, under any condition."""
    rows = islice(table.items(), _MOST)
    return _best(
        (Pattern.of(name, islice(_conditional_targets(value, _DEEPEST), _MOST)) for name, value in rows), key
    )


def _conditional_targets(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list | dict):
        for each in value if isinstance(value, list) else value.values():
            yield from _conditional_targets(each, depth - 1)


def _source_candidates(folder: str, target: str) -> Iterator[str]:
    """The paths of a target in a package, as it is, then of its likely sources, as it may be built."""
    target = target.removeprefix("./")
    yield join(folder, target) if not target.startswith("/") else ""
    built = _BUILT.match(target)
    stem = _ENDING.sub("", target[built.end() :] if built else target)
    if built or stem != target:
        yield from (join(folder, "src", stem), join(folder, stem))


class ScriptModules:
    """Resolves what files import, by paths, configurations and packages of the project."""

    def __init__(self, paths: Iterable[str], files: JsonFiles) -> None:
        self._paths = frozenset(paths)
        self._configs, self._packages = Configs(self._paths, files), Packages(self._paths, files)

    def resolve(self, path: str, specifier: str) -> str | None:
        """The project's file that a specifier in the file at `path` means, None if it is none of the project's."""
        name = specifier.partition("?")[0]
        if not name or "\0" in name or name.startswith("/"):
            return None
        if name.split("/")[0] in (".", ".."):
            return self._at(join(dirname(path), name))
        places = chain(self._configs.places(path, name), self._packages.places(path, name))
        return next(filter(None, map(self._at, places)), None)

    def _at(self, place: str) -> str | None:
        """The file at a path, as it is, with an ending, or as the index of a folder, or None."""
        if not place or place.startswith("/"):
            return None
        place = normpath(place)
        if place == ".." or place.startswith("../"):
            return None
        base = "" if place == "." else f"{place}/"
        return next((each for each in _candidate_paths(place, base) if each in self._paths), None)


def _candidate_paths(place: str, base: str) -> Iterator[str]:
    """The files that a path may mean, the likeliest first. `base` is the path as a folder, "" for the root."""
    if base:
        yield place
        yield from (place + ending for ending in _TRIED)
        stem, dot, ending = place.rpartition(".")
        yield from (stem + each for each in _MEANT.get(dot + ending, ()))
    yield from (f"{base}index{ending}" for ending in _TRIED)
