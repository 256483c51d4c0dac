"""Classification of a project's files: how agents load them, and which source claims each."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from ctxtui.agents import Agent, classify, load_table
from ctxtui.agents.project.base import Base, is_above
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.globs import literal_head
from ctxtui.agents.project.imports import follow
from ctxtui.agents.project.paths import Index, hits, with_ancestors
from ctxtui.agents.source import AgentFilesSource, ask_title
from ctxtui.agents.types import Row
from ctxtui.catalog.source import CatalogSource
from ctxtui.core.base.batches import grouped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.by_file import ByFile
from ctxtui.core.documents.listing import SOURCES
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.documents.source import Project, Source
from ctxtui.core.text.decode import decode_as_utf8
from ctxtui.core.text.metadata.reference import Reference, encode_id
from ctxtui.entries.source import EntriesSource, may_be_entry
from ctxtui.loader.source import ContextDirectorySource
from ctxtui.workspace.listing import context_folders
from ctxtui.workspace.opening.ancestors import (
    NOTHING_ABOVE,
    Above,
    Trail,
    is_importable,
    repository_around,
    text_above,
    walk_above,
)
from ctxtui.workspace.opening.scan_cache import Scan
from ctxtui.workspace.plain_files import PlainSource
from ctxtui.workspace.scope import Scope


def find_above(
    folder: Path, paths: Sequence[str], scope: Scope, read: Callable[[str], str | None], by_file: ByFile
) -> tuple[Above, Trail | None]:
    """The readable files above a folder, and the trail of the search, None if there was no search.

    `paths` are the folder's own files, `read` gives their texts, `by_file` caches facts. The walk enters only the
    ancestors, their agent folders, and the paths that configurations and imports name.
    """
    found = repository_around(folder, scope)
    if found is None:
        return NOTHING_ABOVE, None
    root, base = found
    table = load_table() if scope.table is None else scope.table
    trail = Trail([], {}, {})
    texts: dict[str, str | None] = {}

    def text(path: str) -> str | None:
        place = base.to_folder(path)
        if not is_above(place):
            return read(place)
        trail.read[path] = None
        return text_above(root, path, texts)

    around = _Around(root, base, table, text, trail, by_file)
    listed = around.walk(around.named_paths())
    imported = around.imported_paths(Index([*listed, *map(base.to_root, paths)]))
    if imported:
        # The walk decides: an import that no walk finds does not exist.
        listed += (path for path in around.walk(imported) if path in imported)
    return Above(base, root, tuple(map(base.to_folder, dict.fromkeys(listed))), texts), trail


class _Around:
    """A repository around the opened folder. All paths are relative to its root."""

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
        self._above = with_ancestors(base.folder)[:-1]
        self._rows = [row for agent in table for row in agent.rows if not agent.installable and row.at != "home"]

    def named_paths(self) -> frozenset[str]:
        """The ancestors' agent folders, and the paths that configurations in them and in the opened folder name."""
        given = (ref for row in self._rows for ref in (*row.listed_in, *row.also_in, *row.instead_in))
        refs = tuple(dict.fromkeys(given))
        folders = (*self._above, self._base.folder)
        files = Files(self._read, _Known(lambda _path: True, Index(())), by_file=self._by_file)
        names = {literal_head(name) for name, _ in files.names(refs, folders)}
        places = (posixpath.join(folder, name) for folder in self._above for name in (*self._hidden, *names))
        return frozenset("" if place == "." else place for place in map(posixpath.normpath, places))

    def walk(self, wanted: frozenset[str]) -> list[str]:
        """The files that `walk_above` finds. Adds the walk to the trail."""
        found = walk_above(self._root, self._base, self._hidden, wanted)
        self._trail.walks.append((sorted(wanted), list(found)))
        return found

    def imported_paths(self, index: Index) -> frozenset[str]:
        """The files outside the opened folder and the index that instructions import, directly or indirectly."""
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
    """The possible targets of an import: the index's paths, and paths for which `is_outside` returns True."""

    def __init__(self, is_outside: Callable[[str], bool], index: Index) -> None:
        self._is_outside, self._index = is_outside, index

    def __contains__(self, path: object) -> bool:
        return path in self._index.paths or (isinstance(path, str) and self._is_outside(path))


class Aliases:
    """The files of a walk that are targets of links, with all their paths."""

    def __init__(self, files: Sequence[Found]) -> None:
        reals = {file.real for file in files if file.path != file.real}
        self._paths: dict[str, list[str]] = {real: [] for real in reals}
        self._real: dict[str, str] = {}
        for file in files:
            if file.real in reals:
                self._paths[file.real].append(file.path)
                self._real[file.path] = file.real

    def once(self, references: Sequence[Reference]) -> list[Reference]:
        """One reference per file: under its real path if that was claimed, else under the first path."""
        if not self._paths:
            return list(references)
        same = grouped((self._real[each.path], each) for each in references if each.path in self._real)
        merged = {real: self._merged(real, each) for real, each in same.items()}
        chosen = {each.path: each for each in merged.values()}
        left = (each for each in references if each.path in chosen or each.path not in self._real)
        return [chosen.get(each.path, each) for each in left]

    def _merged(self, real: str, same: Sequence[Reference]) -> Reference:
        """One reference for all paths of the file `real`, with the earliest loading and priority among them."""
        first = next((each for each in same if each.path == real), same[0])
        earliest = min(same, key=lambda each: each.priority)
        return replace(
            first,
            strategy=earliest.strategy,
            priority=earliest.priority,
            protected=any(each.protected for each in same),
            ignored=all(each.ignored for each in same),
            aliases=tuple(path for path in self._paths[real] if path != first.path),
        )


def classify_files(
    read_cache: ReadCache, found: Sequence[Found], scope: Scope, by_file: ByFile
) -> tuple[Scan, Trail | None]:
    """The scan of files, with agent files above the folder. Values cached in `by_file` are not read again.

    The trail is the record of the search above, None if there was none. Notices are in the scan.
    """
    notices: list[Notice] = []
    project = Project(read_cache, tuple(found), notices.append, by_file)
    paths = [file.path for file in found]
    above, trail = find_above(read_cache.root.path, paths, scope, partial(_text_of, read_cache), by_file)

    def text(path: str) -> str | None:
        if is_above(path):
            return above.text(path)
        read = _text_of(read_cache, path)
        # Now, so that no source opens the file again.
        if read is not None:
            ask_title(project, path)
            if path.endswith(".md"):
                may_be_entry(project, path)
        return read

    loads = classify([*paths, *above.paths], text, scope.table, base=above.base.folder, by_file=by_file)
    claiming: tuple[Source, ...] = (
        CatalogSource(),
        ContextDirectorySource(),
        EntriesSource(),
        AgentFilesSource(loads, scope.table),
        PlainSource(scope.with_ignored),
    )
    references = _claimed(project, claiming)
    return Scan(list(_unique(references, notices.append)), list(loads), notices, paths, above), trail


def _text_of(read_cache: ReadCache, path: str) -> str | None:
    try:
        return decode_as_utf8(read_cache.content(path).data, path)
    except ContextError:
        return None


def _claimed(project: Project, sources: Sequence[Source]) -> list[Reference]:
    """One reference for each real path that a source claims, by the first such source, with all its links.

    Sources claim in their given order. References come in the order of `SOURCES`.
    """
    aliases = Aliases(project.files)
    claimed: dict[str, list[Reference]] = {}
    taken: set[str] = set()
    for source in sources:
        references = list(source.scan(project))
        claimed[source.name] = aliases.once(references)
        if references:
            paths = {reference.path for reference in references}
            taken |= {file.real for file in project.files if file.path in paths}
            project = replace(project, files=tuple(file for file in project.files if file.real not in taken))
    assert claimed.keys() <= SOURCES.keys(), f"SOURCES lacks {', '.join(claimed.keys() - SOURCES.keys())}"
    shown = sorted(claimed, key=list(SOURCES).index)
    return [reference for name in shown for reference in claimed[name]]


def _unique(references: Sequence[Reference], on_notice: OnNotice) -> Iterator[Reference]:
    """References with unique ids. A second owner of an id gets its path as id, with a notice."""
    taken: dict[str, str] = {}
    for reference in references:
        id_ = reference.id
        if id_ in taken:
            own = encode_id(reference.path)
            free = (f"{own}~{number}" for number in count(2))
            id_ = own if own not in taken else next(each for each in free if each not in taken)
            message = f"the id {reference.id} already belongs to {taken[reference.id]}; this file is {id_}"
            on_notice(Notice("duplicate-id", message, reference.path))
            reference = replace(reference, id=id_)
        taken[id_] = reference.path
        yield reference
