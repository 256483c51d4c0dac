"""Paths as seen from the repository's root, from the opened folder, and from the user's home folder."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

HOME = "~"
"""The folder in which rows about the user's home folder are tried."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AtHome:
    """The user's files that rows name, none unless they are included (`is_read`).

    `installed` are the active plugins by agent id, as name and folder.
    """

    is_read: bool = False
    paths: tuple[str, ...] = ()
    installed: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


UNREAD = AtHome()
"""The home folder by default."""


def is_at_home(path: str) -> bool:
    """Whether a path is in the home folder. A project with a folder named `~` is never read together with it."""
    return path.startswith(f"{HOME}/")


@dataclass(frozen=True, slots=True)
class Base:
    """The opened folder, as a path below the repository's root, `""` for the root itself."""

    folder: str = ""
    has_home: bool = False
    """Whether paths with `~/` belong to the user's home folder and stay unchanged."""

    def to_root(self, path: str) -> str:
        """Convert a path from the opened folder (`""`: the folder) to a path from the repository's root."""
        if not self.folder:
            return path
        place = posixpath.normpath(posixpath.join(self.folder, path))
        return "" if place == "." else place

    def to_folder(self, path: str) -> str:
        """Convert a path from the repository's root to a path from the opened folder (`""`: the folder)."""
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
        """`call`, which takes paths from the opened folder, as a function of paths from the repository's root."""
        return (lambda path: call(self.to_folder(path))) if self.folder else call

    def from_folder(self, call: Callable[[str], Result]) -> Callable[[str], Result]:
        """`call`, which takes paths from the repository's root, as a function of paths from the opened folder."""
        return (lambda path: call(self.to_root(path))) if self.folder else call


AT_ROOT = Base()


def is_above(path: str) -> bool:
    """Whether a path leads out of the opened folder."""
    return path.split("/", 1)[0] == ".."
