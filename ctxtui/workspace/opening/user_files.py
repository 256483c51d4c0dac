"""The readable files in the user's home folder."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ctxtui.agents.project.base import HOME, UNREAD, AtHome
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.text.decode import decode_as_utf8

CODE = "home"
"""The code of notices about the home folder."""


def text_of(root: Root | None, path: str) -> str | None:
    """The text of a file below a root as agents read it. None if it is unreadable, or without a root."""
    try:
        return decode_as_utf8(root.read(path).data, path) if root else None
    except ContextError:
        return None


@dataclass(frozen=True, slots=True)
class Places:
    """The home folder, and the folders moved by environment variables, by names that begin with `~/`."""

    root: Root | None = None
    moved: Mapping[str, Root] = field(default_factory=dict)

    def place(self, path: str) -> tuple[Root | None, str]:
        """The root of a path, None if unknown, and the path below the root."""
        inner = path.removeprefix(f"{HOME}/")
        for folder, root in self.moved.items():
            if inner.startswith(f"{folder}/"):
                return root, inner[len(folder) + 1 :]
        return self.root, inner

    def shown(self, real: Path) -> str | None:
        """The path with `~/` of a resolved place below one of the folders. None for any other place."""
        for folder, root in (*self.moved.items(), ("", self.root)):
            if root and real != root.path and real.is_relative_to(root.path):
                return posixpath.join(HOME, folder, real.relative_to(root.path).as_posix())
        return None


@dataclass(frozen=True, slots=True)
class Home:
    """The user's files that rows name, by paths such as `~/.claude/CLAUDE.md`, none unless requested."""

    at: AtHome = UNREAD
    versions: Mapping[str, Stamp] = field(default_factory=dict)
    places: Places = field(default_factory=Places)

    def text(self, path: str) -> str | None:
        """The text of a named file. None for any other file, or if it cannot be read."""
        return text_of(*self.places.place(path)) if path in self.versions else None

    def real(self, path: str) -> str:
        """The path of a file after resolving links. A path that leads out of the home folder is unchanged."""
        root, inner = self.places.place(path)
        try:
            real = root.resolve(inner) if root else None
        except ContextError:
            real = None
        return (self.places.shown(real) if real else None) or path


NO_HOME = Home()
