"""Python's modules in a project: import resolution by the places of packages."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from posixpath import basename, dirname, join
from typing import Final, NamedTuple

from ctxtui.core.text.code.imports import Import
from ctxtui.workspace.related.places import distance, is_aside, is_inside, parents

ENDINGS: Final = (".py", ".pyi")

_INIT: Final = "__init__"
_SOURCES: Final = frozenset({"src", "lib", "python"})


class _Module(NamedTuple):
    """A file as a module of the import root `root`: `is_top` for the nearest root, `in_package` inside a package."""

    root: str
    path: str
    is_top: bool
    in_package: bool


class PythonModules:
    """The modules of a project. `folders` are packages without an `__init__`, inferred from relative imports."""

    def __init__(self, paths: Iterable[str], folders: Collection[str]) -> None:
        self._paths = frozenset(path for path in paths if path.endswith(ENDINGS))
        inits = {dirname(path) for path in self._paths if basename(path).partition(".")[0] == _INIT}
        self._packages = frozenset(inits | set(folders)) - {""}
        self._places: defaultdict[str, list[_Module]] = defaultdict(list)
        self.names: dict[str, str] = {}
        """The dotted name of each file, from its outermost package."""
        for path in sorted(self._paths):
            if path.endswith(".py") or path[:-1] not in self._paths:
                self._add(path)

    def _add(self, path: str) -> None:
        """Add a file under its dotted name from each folder above it that is no package."""
        stem = path.rpartition(".")[0]
        names: list[str] = [] if basename(stem) == _INIT else [basename(stem)]
        is_top, in_package = True, False
        for folder in parents(dirname(path)):
            if folder in self._packages:
                in_package = True
            elif names:
                name = ".".join(names)
                self._places[name].append(_Module(folder, path, is_top, in_package))
                if is_top:
                    self.names[path] = name
                is_top = False
            names.insert(0, basename(folder))

    def resolve(self, path: str, found: Import) -> Iterator[str]:
        """The files that an import in the file at `path` means. It may yield a file twice, or the file itself."""
        names = [name for name in found.names if name != "*"]
        if found.level:
            above = parents(dirname(path))
            if found.level > len(above):
                return
            base = join(above[found.level - 1], *filter(None, found.module.split(".")))
            files = [self._file(join(base, name)) for name in names]
            yield from filter(None, files)
            if (not names or not all(files)) and (own := self._file(base)):
                yield own
            return
        module = self._nearest(path, found.module)
        inner = [self._nearest(path, f"{found.module}.{name}", module) for name in names]
        yield from (place.path for place in inner if place)
        if module and (not names or not all(inner)):
            yield module.path

    def _file(self, place: str) -> str | None:
        tries = (f"{place}/{_INIT}.py", f"{place}.py", f"{place}/{_INIT}.pyi", f"{place}.pyi")
        return next((each.lstrip("/") for each in tries if each.lstrip("/") in self._paths), None)

    def _nearest(self, path: str, module: str, beside: _Module | None = None) -> _Module | None:
        """The module with a dotted name that the file at `path` sees, from the nearest root or that of `beside`.

        None for modules of the standard library without a dot.
        """
        if module.partition(".")[0] in sys.stdlib_module_names and "." not in module:
            return None
        folder = dirname(path)
        found = [
            place
            for place in self._places.get(module, ())
            if (beside is None or place.root == beside.root) and self._can_see(folder, place)
        ]
        is_init = {place: basename(place.path).startswith(f"{_INIT}.") for place in found}
        key = {place: (*distance(folder, place.root), not is_init[place], place.path) for place in found}
        return min(found, key=key.__getitem__, default=None)

    def _can_see(self, folder: str, place: _Module) -> bool:
        """Whether files in `folder` can import a module from its root: above them, a source folder or of packages."""
        if is_inside(folder, place.root):
            return True
        if is_aside(place.root, folder):
            return False
        is_source = basename(place.root) in _SOURCES
        if is_source and is_inside(folder, dirname(place.root)):
            return True
        return place.in_package and (place.is_top or is_source)
