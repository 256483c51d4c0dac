"""The dependencies of a walk: versions of folders and rule files, repositories, links."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass, field
from typing import Any, Final

from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.git.index import tracked_paths
from ctxtui.core.disk.git.repository import VARIABLES, git_kind
from ctxtui.core.disk.root import Root

# Some disks round times to two seconds, so an immediate second change could leave the same version.
_SETTLED_NS: Final = 3_000_000_000
# The place of the ctime in a version.
_CTIME: Final = 3


@dataclass
class Trace:
    """Records the dependencies of a walk, and checks whether they still hold.

    `versions` are the times and sizes of folders and files by path, None for a missing one. `repositories` has the
    result of `git_kind` by folder, `links` the target and its file type by link, `variables` the places of the user's
    settings. `indexes` has, by git folder, the bytes of an id, the index's version, and the digest of tracked paths.
    """

    versions: dict[str, list[int] | None] = field(default_factory=dict)
    repositories: dict[str, int] = field(default_factory=dict)
    links: dict[str, list[Any]] = field(default_factory=dict)
    indexes: dict[str, list[Any]] = field(default_factory=dict)
    variables: list[str | None] = field(default_factory=lambda: _variable_values())

    def record_version(self, place: str) -> None:
        """Record the version of a folder or file before it is first read. Later calls for the path change nothing."""
        if place not in self.versions:
            self.versions[place] = _version(place)

    def record_tracked(self, own: Root, id_bytes: int) -> bytes:
        """The `tracked_paths` of a git folder, recorded by their digest: the index often changes without them."""
        version = _version(f"{own.path}/index")
        paths = tracked_paths(own, id_bytes)
        is_young = version is not None and version[_CTIME] >= time.time_ns() - _SETTLED_NS
        # An empty version equals none, so that the digest decides.
        self.indexes[str(own.path)] = [id_bytes, [] if is_young else version, digest_of(paths).hex()]
        return paths

    def record_link(self, link: str) -> None:
        """Record the target of a link, and its file type."""
        self.links[link] = _target(link)

    def is_settled(self, began: int) -> bool:
        """Whether all versions are so much older than `began` (ns since 1970) that any later change alters them."""
        moment = began - _SETTLED_NS
        return all(version is None or version[_CTIME] < moment for version in self.versions.values())

    def holds(self) -> bool:
        """Whether all recorded dependencies are as they were, so that a walk would find the same paths."""
        return (
            self.variables == _variable_values()
            and all(_version(place) == version for place, version in self.versions.items())
            and all(git_kind(folder) == kind for folder, kind in self.repositories.items())
            and all(_target(link) == target for link, target in self.links.items())
            and all(
                _version(f"{own}/index") == version or digest_of(tracked_paths(Root(own), id_bytes)).hex() == digest
                for own, (id_bytes, version, digest) in self.indexes.items()
            )
        )


def _version(place: str) -> list[int] | None:
    try:
        status = os.stat(place)  # noqa: PTH116 - thousands are looked at
    except OSError:
        return None
    return [status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size]


def _target(link: str) -> list[Any]:
    """The real path of a link's target, and the file type (`S_IFMT`), None for a broken link."""
    try:
        kind = stat.S_IFMT(os.stat(link).st_mode)  # noqa: PTH116 - as above
    except OSError:
        kind = None
    return [os.path.realpath(link), kind]


def _variable_values() -> list[str | None]:
    return [os.environ.get(name) for name in VARIABLES]
