"""Paths of a repository as seen from its root and from a folder in it that was opened."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ctxtui.agents.at_home import is_at_home

Result = TypeVar("Result")


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
