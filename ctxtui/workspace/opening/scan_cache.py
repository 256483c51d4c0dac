"""The cache of scans: an unchanged project is opened without reading its files.

A warm list of 10,000 files takes a quarter of the time. `tests/workspace/test_scan_cache.py` compares it with a cold
list after every edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.agents.loads import Load
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.workspace.opening.ancestors import NOTHING_ABOVE, Above, Trail, is_unchanged_above, repository_around
from ctxtui.workspace.opening.user_files import NO_HOME, Home
from ctxtui.workspace.scope import Scope

_SCANS: Final = "scans"

Versions = Sequence[tuple[str, Stamp | None]]
"""The versions of files that no walk found, by path. None for a file that does not exist."""


class Scan(NamedTuple):
    """The documents of a project at one moment. `paths` are all files in scope, listed or not.

    `above` are the repository's files outside the folder that agents read as well, `scan_id` identifies the result in
    the cache, empty if it is not there.
    """

    references: Sequence[Reference]
    loads: Sequence[Load]
    notices: list[Notice]
    paths: list[str]
    above: Above
    home: Home = NO_HOME
    scan_id: str = ""


class _AboveRead(NamedTuple):
    """The paths found above the folder, the trail of the search, and the versions of the readable files there."""

    paths: tuple[str, ...]
    trail: Trail
    read: Versions


class CachedScan:
    """The cached scan of one project in one scope, valid while nothing that it depends on has changed.

    It depends on the version of every file found, on files that were read but not found, on the trail above the
    folder, on the scope, and on this program. `began` is the start of the scan in nanoseconds since the epoch.
    """

    def __init__(self, cache: Cache, read_cache: ReadCache, found: Sequence[Found], scope: Scope, began: int) -> None:
        self._cache, self._read_cache, self._found, self._scope, self._began = cache, read_cache, found, scope, began
        self._outside = repository_around(read_cache.root.path, scope)
        around = self._outside[1].folder if self._outside else ""
        self._name, self._depends = cache_key_of(read_cache.root.path, scope), _digest_of_inputs(around, found)

    def read(self) -> Scan | None:
        """The cached result, or None if there is none or it is stale."""
        snapshot = self._cache.snapshot(_SCANS, self._name, self._depends)
        value = unpack(snapshot.data) if snapshot else None
        if snapshot is None or value is None:
            return None
        around, unlisted, notices, references, loads = value
        above = self._above(around)
        if above is None or not _are_unchanged(self._read_cache.root.path, unlisted):
            return None
        paths = [file.path for file in self._found]
        return Scan(references, loads, notices, paths, above, scan_id=snapshot.digest.hex())

    def keep(self, result: Scan, trail: Trail | None) -> Scan:
        """Cache a result without credentials, unless one of its files could still change unnoticed.

        The result has a `scan_id` if it is cached now. `trail` is the record of the search above the folder, None if
        there was none.
        """
        versions = _versions(self._read_cache.root.path, self._read_cache.unlisted)
        around = None
        if self._outside and trail is not None:
            root, base = self._outside
            read = {*trail.read, *map(base.to_root, result.above.paths)}
            around = _AboveRead(result.above.paths, trail._replace(read={}), _versions(root.path, read))
        known = (*versions, *(around.read if around else ()))
        stamps = [file.stamp for file in self._found] + [version for _, version in known if version]
        # The scan may have read such a file before its last change.
        if not all(stamp.is_settled(self._began) for stamp in stamps):
            return result
        from ctxtui.core.text.secrets import has_secret  # noqa: PLC0415 - what is known is not searched

        head = (around, versions, result.notices)
        # The cache never holds secrets.
        if has_secret("\n".join(_texts(repr(head), result.references, result.loads))):
            return result
        data = pack((*head, result.references, result.loads))
        scan_id = self._cache.keep_snapshot(_SCANS, self._name, data, self._depends).hex() if data else ""
        return result._replace(scan_id=scan_id)

    def _above(self, around: _AboveRead | None) -> Above | None:
        """The cached files above the folder, or None if anything there has changed."""
        if around is None or self._outside is None:
            return NOTHING_ABOVE if around is None and self._outside is None else None
        root, base = self._outside
        is_valid = _are_unchanged(root.path, around.read) and is_unchanged_above(
            root, base, self._scope, around.trail
        )
        return Above(base, root, around.paths) if is_valid else None


def _texts(head: str, references: Sequence[Reference], loads: Sequence[Load]) -> set[str]:
    """The project's texts in a scan, each once, to be searched for secrets. Details are cached elsewhere."""
    return {
        head,
        *(text for each in references for text in (each.title, *each.paths)),
        *(text for each in loads for text in (each.path, each.reason, each.imported_by or "", each.package)),
        *(repr(each.scopes) for each in loads),
    }


def _digest_of_inputs(around: str, found: Sequence[Found]) -> bytes:
    """A digest of what a scan depends on: `around`, its place in the repository, and the version of each file."""
    return blake2b(_bytes("".join((around, *map(_file_version, found))))).digest()


def _file_version(file: Found) -> str:
    mtime, ctime, size = file.stamp
    return f"\0{file.path}\0{file.real}\0{mtime} {ctime} {size} {file.ignored:d}"


def _versions(root: Path, paths: Iterable[str]) -> Versions:
    return [(path, _version(root, path)) for path in sorted(paths)]


def _are_unchanged(root: Path, versions: Versions) -> bool:
    return all(_version(root, path) == version for path, version in versions)


def _version(root: Path, path: str) -> Stamp | None:
    """The version of a file that no walk found, or None if it does not exist."""
    try:
        return Stamp.of((root / path).stat())
    except (OSError, ValueError):
        return None


def cache_key_of(root: Path, scope: Scope) -> bytes:
    """The cache key of a project and a scope."""
    return _bytes(f"{root}\0{scope!r}")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
