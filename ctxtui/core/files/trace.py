"""What the names and rules that a walk finds depend on."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any, Final

from ctxtui.core.files.open_at import exists

# Some disks know times to two seconds: a change right after another one could leave the version as it is.
_SETTLED_NS: Final = 3_000_000_000
# The place of the time of the last change in a version.
_CTIME: Final = 3


class Trace:
    """Notes what a walk depends on, and says whether that is still so.

    `versions` are those of folders and files by their places, None for what does not exist; `repositories` says for
    folders whether a repository begins there, and `links` where each link led, and to what kind of file. All are
    values that JSON gives back the same.
    """

    def __init__(self) -> None:
        self.versions: dict[str, list[int] | None] = {}
        self.repositories: dict[str, bool] = {}
        self.links: dict[str, list[Any]] = {}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Trace:
        """What an earlier walk depended on; raises KeyError for what is not the `kept` of one."""
        trace = cls()
        trace.versions, trace.repositories, trace.links = kept["versions"], kept["repositories"], kept["links"]
        return trace

    @property
    def kept(self) -> dict[str, Any]:
        """The trace as JSON data."""
        return {"versions": self.versions, "repositories": self.repositories, "links": self.links}

    def look(self, place: str) -> None:
        """A folder is going to be listed or a file to be read: what changes from now on counts."""
        if place not in self.versions:
            self.versions[place] = _version(place)

    def ask(self, folder: str, is_repository: bool) -> None:
        """A folder was asked whether a repository begins there."""
        self.repositories[folder] = is_repository

    def follow(self, link: str) -> None:
        """A link is going to be followed, or refused."""
        self.links[link] = _target(link)

    def is_settled(self, began: int) -> bool:
        """Whether all was as it is well before the walk began, in nanoseconds: then any later change is seen."""
        moment = began - _SETTLED_NS
        return all(version is None or version[_CTIME] < moment for version in self.versions.values())

    def holds(self) -> bool:
        """Whether all is as it was."""
        return (
            all(_version(place) == version for place, version in self.versions.items())
            and all(exists(f"{folder}/.git") == is_one for folder, is_one in self.repositories.items())
            and all(_target(link) == target for link, target in self.links.items())
        )


def _version(place: str) -> list[int] | None:
    try:
        status = os.stat(place)  # noqa: PTH116 - thousands are looked at
    except OSError:
        return None
    return [status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size]


def _target(link: str) -> list[Any]:
    """Where a link leads, and to what kind of file; None if to nothing."""
    try:
        kind = stat.S_IFMT(os.stat(link).st_mode)  # noqa: PTH116 - as above
    except OSError:
        kind = None
    return [os.path.realpath(link), kind]
