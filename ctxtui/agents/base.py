"""Paths as seen from the root of a repository, from a folder in it that was opened, and in the user's home folder."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

HOME = "~"
"""The folder that rows about the user's home folder are tried in."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AtHome:
    """Files of the user that rows name, as `~/.claude/CLAUDE.md`; none unless the user asked for them.

    `installed` are the active plugins by agent id: the name and the folder of each.
    """

    is_read: bool = False
    paths: tuple[str, ...] = ()
    installed: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


UNREAD = AtHome()
"""The home folder if nobody asked for it."""


def is_at_home(path: str) -> bool:
    """Whether a path is one of the home folder; a project with a folder of that name is never read with it."""
    return path.startswith(f"{HOME}/")


@dataclass(frozen=True, slots=True)
class Base:
    """The opened folder, as a path below the repository's root; `""` for the root itself.

    Seen from it, a file above is `../AGENTS.md`.
    """

    folder: str = ""
    has_home: bool = False
    """Whether paths that begin with `~/` are those of the user's home folder, which stay as they are."""

    def to_root(self, path: str) -> str:
        """The path from the repository's root of a path from the opened folder (`""`: the folder)."""
        if not self.folder:
            return path
        place = posixpath.normpath(posixpath.join(self.folder, path))
        return "" if place == "." else place

    def to_folder(self, path: str) -> str:
        """The path from the opened folder (`""`: the folder) of a path from the repository's root."""
        if not self.folder or path == self.folder:
            return "" if self.folder else path
        if self.has_home and is_at_home(path):
            return path
        if path.startswith(f"{self.folder}/"):
            return path[len(self.folder) + 1 :]
        ours, theirs = self.folder.split("/"), path.split("/") if path else []
        shared = next((n for n, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other), None)
        shared = min(len(ours), len(theirs)) if shared is None else shared
        return "/".join([".."] * (len(ours) - shared) + theirs[shared:])

    def from_root(self, call: Callable[[str], Result]) -> Callable[[str], Result]:
        """A function of paths from the opened folder, for paths from the repository's root."""
        return (lambda path: call(self.to_folder(path))) if self.folder else call

    def from_folder(self, call: Callable[[str], Result]) -> Callable[[str], Result]:
        """A function of paths from the repository's root, for paths from the opened folder."""
        return (lambda path: call(self.to_root(path))) if self.folder else call


AT_ROOT = Base()
"""The root of the repository itself."""


def is_above(path: str) -> bool:
    """Whether a path from the opened folder leads out of it."""
    return path.split("/", 1)[0] == ".."
