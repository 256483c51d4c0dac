"""The look above an opened folder: what the table of agents, configurations and imports lead to there."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ctxtui.agents import Agent, load_table
from ctxtui.agents.base import Base, is_above
from ctxtui.agents.files import Files
from ctxtui.agents.globs import literal_head
from ctxtui.agents.imports import follow
from ctxtui.agents.paths import Index, chain, hits
from ctxtui.agents.types import Row
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.by_file import ByFile
from ctxtui.workspace.listing import context_folders
from ctxtui.workspace.opening.above import NOTHING_ABOVE, Above, Trail, is_importable, outside, text_above, walk_above
from ctxtui.workspace.scope import Scope


def look_above(
    folder: Path, paths: Sequence[str], scope: Scope, read: Callable[[str], str | None], by_file: ByFile
) -> tuple[Above, Trail | None]:
    """What lies above a folder, whose own files are `paths`, and what was looked at; nothing without a repository.

    Only the folders on the way down are listed, the folders of agents in them, and what configurations and
    imports there name.
    """
    found = outside(folder, scope)
    if found is None:
        return NOTHING_ABOVE, None
    root, base = found
    table = load_table() if scope.table is None else scope.table
    trail = Trail([], {}, {})

    def text(path: str) -> str | None:
        place = base.to_folder(path)
        if not is_above(place):
            return read(place)
        trail.read[path] = None
        return text_above(root, path)

    around = _Around(root, base, table, text, trail, by_file)
    listed = around.walked(around.named())
    imported = around.imported(Index([*listed, *map(base.to_root, paths)]))
    if imported:
        # Walked for, so that what no walk finds is not found here either.
        listed += (path for path in around.walked(imported) if path in imported)
    return Above(base, root, tuple(map(base.to_folder, dict.fromkeys(listed)))), trail


class _Around:
    """A repository around the opened folder; all paths are from its root."""

    def __init__(
        self,
        root: Root,
        base: Base,
        table: Sequence[Agent],
        read: Callable[[str], str | None],
        trail: Trail,
        by_file: ByFile,
    ) -> None:
        self._root, self._base, self._read, self._trail = root, base, read, trail
        self._by_file = by_file.seen_from(base.to_folder)
        self._hidden = context_folders(tuple(table))
        self._above = chain(base.folder)[:-1]
        self._rows = [row for agent in table for row in agent.rows if not agent.installable and row.at != "home"]

    def named(self) -> frozenset[str]:
        """The folders of agents on the way down, and what configurations there and in the opened folder name."""
        refs = tuple(
            dict.fromkeys(ref for row in self._rows for ref in (*row.listed_in, *row.also_in, *row.instead_in))
        )
        folders = (*self._above, self._base.folder)
        files = Files(self._read, _Known(lambda _path: True, Index(())), by_file=self._by_file)
        names = {literal_head(name) for name, _ in files.names(refs, folders)}
        places = (posixpath.join(folder, name) for folder in self._above for name in (*self._hidden, *names))
        return frozenset("" if place == "." else place for place in map(posixpath.normpath, places))

    def walked(self, wanted: frozenset[str]) -> list[str]:
        """The files directly in the folders above, and those at and below the wanted paths."""
        found = walk_above(self._root, self._base, self._hidden, wanted)
        self._trail.walks.append((sorted(wanted), list(found)))
        return found

    def imported(self, index: Index) -> frozenset[str]:
        """The files outside the opened folder and the index that instructions import, directly or not."""
        known = _Known(self._is_outside, index)
        files = Files(self._read, known, by_file=self._by_file)
        found = (
            path
            for row in self._rows
            if row.imports
            for start in self._importing(row, index, files)
            for path, _, reached in follow(start, row.imports, files.mentioned(row), known)
            if reached
        )
        return frozenset(path for path in found if path not in index.paths)

    def _importing(self, row: Row, index: Index, files: Files) -> Iterator[str]:
        yield from (hit.path for hit in hits(row, index, files, self._base.folder))
        for pattern in row.files:
            yield from index.find(pattern, below=True)

    def _is_outside(self, path: str) -> bool:
        answer = self._trail.asked[path] = is_importable(self._root, self._base, path)
        return answer


class _Known:
    """The paths that an import may lead to: those of an index, and what `is_outside` accepts."""

    def __init__(self, is_outside: Callable[[str], bool], index: Index) -> None:
        self._is_outside, self._index = is_outside, index

    def __contains__(self, path: object) -> bool:
        return path in self._index.paths or (isinstance(path, str) and self._is_outside(path))
