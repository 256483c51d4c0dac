"""The paths of a project, and the paths that a row of the table matches."""

from __future__ import annotations

import bisect
import posixpath
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.agents.project.base import HOME, UNREAD, AtHome, is_at_home
from ctxtui.agents.project.globs import is_literal, literal_head
from ctxtui.agents.types import Agent, Package, Row
from ctxtui.core.base.batches import firsts, grouped
from ctxtui.core.base.errors import invalid
from ctxtui.core.text.globs import compile_glob

if TYPE_CHECKING:
    from ctxtui.agents.project.files import Files


class Index:
    """Paths by base name, because most patterns name one."""

    def __init__(self, paths: Iterable[str], home: AtHome = UNREAD, is_repository: bool = True) -> None:
        self.is_repository = is_repository
        self.home = Index(home.paths) if home.is_read else None
        self.installed = home.installed
        self._found: dict[tuple[str, bool], tuple[str, ...]] = {}
        self.paths = dict.fromkeys(paths)
        self._by_name = grouped((path[path.rfind("/") + 1 :], path) for path in self.paths)

    @property
    def known(self) -> frozenset[str]:
        """The paths of the project and of an included home folder."""
        return frozenset(self.paths).union(self.home.paths if self.home else ())

    def beside(self, path: str) -> Index:
        """The paths that a file may import: home paths for a home file, else the project's."""
        return self.home if self.home and is_at_home(path) else self

    def find(self, pattern: str, below: bool = False) -> tuple[str, ...]:
        """The paths that match a pattern at the root or, with `below`, in any folder of the project."""
        key = (pattern, below)
        if key not in self._found:
            self._found[key] = tuple(self._search(pattern, below))
        return self._found[key]

    def find_in(self, pattern: str, folder: str) -> tuple[str, ...]:
        """The paths that match a pattern within a folder, `""` being the root."""
        if not folder:
            return self.find(pattern)
        if is_literal(pattern):
            path = f"{folder}/{pattern}"
            return (path,) if path in self.paths else ()
        matches, size = compile_glob(pattern).matches, len(folder) + 1
        # The folders before the first wildcard exclude most paths, much faster than the pattern.
        below = self._below(f"{folder}/{_literal_prefix(pattern)}"[:-1])
        return tuple(path for path in below if matches(path[size:]))

    def holds(self, path: str) -> bool:
        """Whether a path is a file or a folder of the project."""
        return not path or path in self.paths or bool(self._below(path))

    def under(self, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each folder with each path below it."""
        for folder in folders:
            yield from ((folder, path) for path in self._below(folder))

    def _below(self, folder: str) -> Sequence[str]:
        start = bisect.bisect_left(self._ordered, folder + "/")
        end = bisect.bisect_left(self._ordered, folder + "0", start)  # "0" is the character after "/"
        return self._ordered[start:end]

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(self.paths)

    def _search(self, pattern: str, below: bool) -> list[str]:
        if is_literal(pattern) and not below:
            return [pattern] if pattern in self.paths else []
        begin, name = _literal_prefix(pattern), pattern.rpartition("/")[2]
        candidates: Collection[str] = self.paths
        if is_literal(name):
            candidates = self._by_name.get(name, ())
        elif begin and not below:
            candidates = self._below(begin[:-1])
        if not candidates:
            return []
        matches, inside = compile_glob(f"*/**/{pattern}" if below else pattern).matches, f"/{begin}"
        likely = (path for path in candidates if (inside in path if below else path.startswith(begin)))
        return list(filter(matches, likely))


def _literal_prefix(pattern: str) -> str:
    """The literal prefix of a pattern: the folders before its first wildcard."""
    head = literal_head(pattern)
    return f"{head}/" if head and head != pattern else head


class Hit(NamedTuple):
    """A path that a row matches, its base folder (`""`: the root), and the files that name it and that hide it.

    The sort order is the loading order: by folder, then by the place of the pattern in the row.
    """

    folder: str
    order: int
    path: str
    named_in: str
    hidden_by: str | None = None


class _Search(NamedTuple):
    """A pattern, the folders to try it in, and the configuration that names it ("" for the row itself)."""

    pattern: str
    folders: tuple[str, ...]
    named_in: str = ""


def is_used(agent: Agent, index: Index, cwd: str = "") -> bool:
    """Whether a file shows the use of an agent, at the root or in an ancestor of `cwd`, or the user asked for it."""
    return agent.is_wanted or any(
        index.find_in(pattern, folder) for folder in with_ancestors(cwd) for pattern in agent.detect
    )


def claimed_paths(row: Row, index: Index, packages: Sequence[str] = ()) -> Iterator[str]:
    """The paths that the row's own patterns match, in pattern order, except in the home folder.

    Rows about packages are tried in the folders of the packages.
    """
    if row.at != "home":
        folders = tuple(packages) if row.at == "package" else ("",)
        yield from (
            place.path for place in _hits_of_searches(row, [_Search(each, folders) for each in row.files], index, "")
        )


def hits(row: Row, index: Index, files: Files, cwd: str = "", package: Package | None = None) -> Iterator[Hit]:
    """The files a row matches, root first, each marked if another file keeps it from loading.

    `cwd` is the folder where the agent starts, `""` for the root. Rows `up` are tried in it and in its ancestors,
    rows `root` in it alone, rows `down` in the folders below it, rows `package` in a package, rows `home` in the
    user's folder, if the index includes it.
    """
    if (row.at == "package") != (package is not None):
        return
    start = cwd
    if row.at == "home":
        if index.home is None:
            return
        index, cwd = index.home, HOME
    elif package:
        index = index.beside(f"{package.folder}/")
    is_up = row.at == "up" and (index.is_repository or not row.git_only)
    above = with_ancestors(cwd) if is_up or row.at == "down" else (cwd,)
    blocker = next((path for where in above for glob in row.unless for path in index.find_in(glob, where)), None)
    searches = _package_searches(package, row, index) if package else _searches(row, files, cwd, above)
    places = sorted(_hits_of_searches(row, searches, index, cwd))
    winners = _winners(row, places)
    for place in places:
        beside = (posixpath.join(place.folder, name) for name in row.unless_beside)
        winner = winners.get(place.folder, place)
        is_second = winner.order != place.order if row.pick == "name" else winner.path != place.path
        hidden_by = blocker or next((name for name in beside if index.holds(name)), None)
        folder = start if row.at == "home" else place.folder
        yield place._replace(folder=folder, hidden_by=hidden_by or (winner.path if is_second else None))


def path_from_root(path: str) -> str:
    """Normalize a path below the root (`""`). Raises ContextError (invalid_request) outside the root."""
    place = posixpath.normpath(path or ".")
    if place.startswith("/") or place.split("/")[0] == "..":
        raise invalid(f"{path} lies outside the project", hint="name a path below its root")
    return "" if place == "." else place


def with_ancestors(cwd: str) -> tuple[str, ...]:
    """A folder and its ancestors, the root (`""`) first."""
    parts = cwd.split("/") if cwd else []
    return tuple("/".join(parts[:count]) for count in range(len(parts) + 1))


def _winners(row: Row, places: Sequence[Hit]) -> dict[str, Hit]:
    """By folder, the hit that hides the others: the folder's first, or if `row.pick` is `name`, the best of all."""
    if row.pick == "name" and places:
        return dict.fromkeys((place.folder for place in places), min(places, key=lambda place: place.order))
    return firsts((place.folder, place) for place in places) if row.pick == "first" else {}


def _searches(row: Row, files: Files, cwd: str, above: tuple[str, ...]) -> Iterator[_Search]:
    """The patterns of a row and the folders to try them in, by precedence, including those from configurations."""
    folders = {"up": above, "root": (cwd,), "home": (cwd,)}.get(row.at, ("",))
    instead = files.names(row.instead_in, (cwd,))
    if not instead:
        yield from (_Search(pattern, folders) for pattern in row.files)
    for name, file in (*instead, *files.names(row.also_in, folders), *files.names(row.listed_in, folders)):
        named_in = file if row.listed_in else ""
        if row.within:
            folder = posixpath.normpath(posixpath.join(cwd, name))
            if folder.split("/")[0] not in ("", ".."):
                yield from (_Search(each, ("" if folder == "." else folder,), named_in) for each in row.within)
        elif (place := posixpath.normpath(name)).split("/")[0] == "..":
            # It leads to another place from each folder. One outside the project matches nothing.
            places = (posixpath.normpath(posixpath.join(folder, place)) for folder in folders)
            yield from (_Search(each, ("",), named_in) for each in places)
        else:
            yield _Search(place, folders, named_in)


def _package_searches(package: Package, row: Row, index: Index) -> Iterator[_Search]:
    """The patterns of a row in a package: its usual folder, unless the manifest replaces it, and the named paths."""
    if row.part not in package.only:
        yield from (_Search(pattern, (package.folder,)) for pattern in row.files)
    for path in package.named.get(row.part, ()):
        if path in index.paths:
            yield _Search(path, ("",))
        else:
            yield from (_Search(pattern, (path,)) for pattern in row.within)


def _hits_of_searches(row: Row, searches: Iterable[_Search], index: Index, cwd: str) -> Iterator[Hit]:
    """The paths that the searches match, each once, without those that the row excludes."""
    seen: set[str] = set()
    outside = [compile_glob(pattern).matches for pattern in row.exclude]
    for order, each in enumerate(searches):
        for folder, path in _folders_and_paths(row, each, index, cwd):
            below = path[len(folder) + 1 :] if folder and row.at in ("up", "root", "package", "home") else path
            if path not in seen and not any(matches(below) for matches in outside):
                seen.add(path)
                yield Hit(folder, order, path, each.named_in)


def _folders_and_paths(row: Row, search: _Search, index: Index, cwd: str) -> Iterator[tuple[str, str]]:
    """The matching paths, each with its folder: one of the search, or for `down` any folder below `cwd`."""
    pattern = search.pattern
    if row.at != "down":
        yield from ((folder, path) for folder in search.folders for path in index.find_in(pattern, folder))
        return
    head, matches = pattern.split("/")[0], compile_glob(pattern).matches
    # A pattern may match from any folder on.
    sign = "/" if set("*?[{") & set(head) else f"/{head}"
    for path in index.find(pattern, below=True):
        start, last = path.find(sign), path.rfind(sign)
        # The first place counts, as in `pkg/.claude/rules/.claude-old.md`.
        while start < last and not matches(path[start + 1 :]):
            start = path.find(sign, start + 1)
        folder = path[:start]
        if not cwd or folder.startswith(f"{cwd}/"):
            yield folder, path
