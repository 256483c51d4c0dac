"""The files above an opened folder, up to the root of its repository, that agents started there may read."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxtui.agents import Agent, load_table
from ctxtui.agents.base import AT_ROOT, Base, is_above
from ctxtui.agents.files import Files
from ctxtui.agents.globs import literal_head
from ctxtui.agents.imports import follow
from ctxtui.agents.paths import Index, chain, hits
from ctxtui.agents.types import Row
from ctxtui.core.errors import ContextError
from ctxtui.core.files.repository import repository_root
from ctxtui.core.files.root import Root
from ctxtui.core.files.text import decode
from ctxtui.core.files.walk import Walker
from ctxtui.workspace.listing import context_folders
from ctxtui.workspace.scope import Scope


@dataclass(frozen=True, slots=True)
class Above:
    """The files of a repository outside the opened folder, by paths from that folder such as `../AGENTS.md`.

    They can be read, through the repository's root, but are not documents of the workspace.
    """

    base: Base = AT_ROOT
    root: Root | None = None
    paths: tuple[str, ...] = ()

    def text(self, path: str) -> str | None:
        """The text of a file; None if it is not one of `paths` or cannot be read."""
        return _text(self.root, self.base.to_root(path)) if self.root and path in self.paths else None

    def real(self, path: str) -> str:
        """The path of a file once links are followed; the path itself if it leads out of the repository."""
        try:
            place = self.root.resolve(self.base.to_root(path)) if self.root else None
        except ContextError:
            place = None
        if self.root is None or place is None:
            return path
        return self.base.to_folder(place.relative_to(self.root.path).as_posix())


NOTHING_ABOVE = Above()


def look_above(folder: Path, paths: Sequence[str], scope: Scope, read: Callable[[str], str | None]) -> Above:
    """What lies above a folder, whose own files are `paths`; nothing without a repository, or at its root.

    The user's home folder is not read, even if it is a repository.

    Only the folders on the way down are listed, the folders of agents in them, and what configurations and
    imports there name.
    """
    found = repository_root(folder) if scope.above else None
    if found is None or not found[1] or _holds_home(found[0]):
        return NOTHING_ABOVE
    root, base = Root(found[0]), Base(found[1])
    table = load_table() if scope.table is None else scope.table

    def text(path: str) -> str | None:
        place = base.to_folder(path)
        return _text(root, path) if is_above(place) else read(place)

    around = _Around(root, base, table, text)
    listed = around.walked(around.named())
    imported = around.imported(Index([*listed, *map(base.to_root, paths)]))
    if imported:
        # Walked for, so that what no walk finds is not found here either.
        listed += (path for path in around.walked(imported) if path in imported)
    return Above(base, root, tuple(map(base.to_folder, dict.fromkeys(listed))))


def _holds_home(root: Path) -> bool:
    try:
        return Path(os.path.realpath(Path.home())).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _text(root: Root, path: str) -> str | None:
    try:
        return decode(root.read(path).data, path)[0]
    except ContextError:
        return None


class _Around:
    """A repository around the opened folder; all paths are from its root."""

    def __init__(self, root: Root, base: Base, table: Sequence[Agent], read: Callable[[str], str | None]) -> None:
        self._root, self._base, self._read = root, base, read
        self._hidden = context_folders(tuple(table))
        self._above = chain(base.folder)[:-1]
        self._rows = [row for agent in table for row in agent.rows if not agent.installable and row.at != "home"]

    def named(self) -> frozenset[str]:
        """The folders of agents on the way down, and what configurations there and in the opened folder name."""
        refs = tuple(
            dict.fromkeys(ref for row in self._rows for ref in (*row.listed_in, *row.also_in, *row.instead_in))
        )
        folders = (*self._above, self._base.folder)
        files = Files(self._read, _Known(lambda _path: True, Index(())))
        names = {literal_head(name) for name, _ in files.names(refs, folders)}
        places = (posixpath.join(folder, name) for folder in self._above for name in (*self._hidden, *names))
        return frozenset("" if place == "." else place for place in map(posixpath.normpath, places))

    def walked(self, wanted: frozenset[str]) -> list[str]:
        """The files directly in the folders above, and those at and below the wanted paths."""

        def enters(path: str) -> bool:
            leads = (each == path or not each or f"{each}/".startswith(f"{path}/") for each in wanted)
            inside = (f"{path}/".startswith(f"{each}/") for each in wanted)
            return path != self._base.folder and (path in self._above or any(leads) or any(inside))

        found = Walker(self._root, self._hidden, lambda _notice: None, enters).walk()
        return [file.path for file in found]

    def imported(self, index: Index) -> frozenset[str]:
        """The files outside the opened folder and the index that instructions import, directly or not."""
        known = _Known(self._is_outside, index)
        files = Files(self._read, known)
        found = (
            path
            for row in self._rows
            if row.imports
            for start in self._importing(row, index, files)
            for path, _, reached in follow(start, row.imports, files.mentions, known)
            if reached
        )
        return frozenset(path for path in found if path not in index.paths)

    def _importing(self, row: Row, index: Index, files: Files) -> Iterator[str]:
        yield from (hit.path for hit in hits(row, index, files, self._base.folder))
        for pattern in row.files:
            yield from index.find(pattern, below=True)

    def _is_outside(self, path: str) -> bool:
        try:
            return is_above(self._base.to_folder(path)) and self._root.resolve(path).is_file()
        except ContextError:
            return False


class _Known:
    """The paths that an import may lead to: those of an index, and what `is_outside` accepts."""

    def __init__(self, is_outside: Callable[[str], bool], index: Index) -> None:
        self._is_outside, self._index = is_outside, index

    def __contains__(self, path: object) -> bool:
        return path in self._index.paths or (isinstance(path, str) and self._is_outside(path))
