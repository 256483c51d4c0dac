"""TypeScript's and JavaScript's modules in a project: which file a specifier means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import dirname, join, normpath
from typing import Final

from ctxtui.workspace.related.json_files import JsonFiles
from ctxtui.workspace.related.packages import Packages
from ctxtui.workspace.related.tsconfig import Configs

ENDINGS: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")

_TRIED: Final = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
# What an ending means if the file is compiled.
_MEANT: Final = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}


class ScriptModules:
    """The files of a project as modules."""

    def __init__(self, paths: Iterable[str], files: JsonFiles) -> None:
        self._paths = frozenset(paths)
        self._configs, self._packages = Configs(self._paths, files), Packages(self._paths, files)

    def resolve(self, path: str, specifier: str) -> str | None:
        """The file that a specifier in a file means; None if it is none of the project."""
        name = specifier.partition("?")[0]
        if not name or "\0" in name or name.startswith("/"):
            return None
        if name.split("/")[0] in (".", ".."):
            return self._at(join(dirname(path), name))
        return next(filter(None, map(self._at, self._bare(path, name))), None)

    def _bare(self, path: str, name: str) -> Iterator[str]:
        yield from self._configs.places(path, name)
        yield from self._packages.places(path, name)

    def _at(self, place: str) -> str | None:
        """The file at a path, as it is, with an ending, or as the index of a folder."""
        if not place or place.startswith("/"):
            return None
        place = normpath(place)
        if place == ".." or place.startswith("../"):
            return None
        base = "" if place == "." else f"{place}/"
        return next((each for each in _tries(place, base) if each in self._paths), None)


def _tries(place: str, base: str) -> Iterator[str]:
    if base:
        yield place
        yield from (place + ending for ending in _TRIED)
        stem, dot, ending = place.rpartition(".")
        yield from (stem + each for each in _MEANT.get(dot + ending, ()))
    yield from (f"{base}index{ending}" for ending in _TRIED)
