"""The files between an opened folder and the root of its repository that agents in the folder may read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ctxtui.agents.project.base import AT_ROOT, Base, is_above
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.copies import copied_root
from ctxtui.core.disk.git.repository import repository_root
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Walker
from ctxtui.workspace.listing import context_folders
from ctxtui.workspace.opening.user_files import text_of
from ctxtui.workspace.scope import Scope


@dataclass(frozen=True, slots=True)
class Above:
    """The readable files of a repository outside the opened folder, by relative paths such as `../AGENTS.md`.

    They are not documents of the workspace. `read` has the texts read so far, by paths below the root.
    """

    base: Base = AT_ROOT
    root: Root | None = None
    paths: tuple[str, ...] = ()
    read: dict[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    def text(self, path: str) -> str | None:
        """The text of a file, read once. None if it is not one of `paths` or is unreadable."""
        return text_above(self.root, self.base.to_root(path), self.read) if self.root and path in self.paths else None

    def real(self, path: str) -> str:
        """The path of a file after resolving links. A path that leads out of the repository is unchanged."""
        if self.root is None:
            return path
        try:
            place = self.root.resolve(self.base.to_root(path))
        except ContextError:
            return path
        return self.base.to_folder(place.relative_to(self.root.path).as_posix())


NOTHING_ABOVE = Above()


class Trail(NamedTuple):
    """Everything that a search above a folder depended on. Paths are relative to the repository's root.

    `walks` pairs the paths of each walk with the files found, `read` holds the files that were read, and `asked` says
    for each tested path whether it was importable.
    """

    walks: list[tuple[list[str], list[str]]]
    read: dict[str, None]
    asked: dict[str, bool]


def repository_around(folder: Path, scope: Scope) -> tuple[Root, Base] | None:
    """The repository (or its copy) around a folder, and the folder's place in it. None if the folder is its root.

    None also without a repository, without `scope.above`, and if the user's home folder is in the repository.
    """
    found = (copied_root(folder) or repository_root(folder)) if scope.above else None
    if found is None or not found[1] or _holds_home(found[0]):
        return None
    return Root(found[0]), Base(found[1])


def is_in_repository(folder: Path) -> bool:
    """Whether a folder is the root of a repository or below it, also in a copy of a remote project."""
    return bool(copied_root(folder) or repository_root(folder))


def is_unchanged_above(root: Root, base: Base, scope: Scope, trail: Trail) -> bool:
    """Whether the search above the folder that left this trail would find the same again. Texts are not compared."""
    hidden = context_folders(scope.table)
    walks = all(walk_above(root, base, hidden, frozenset(wanted)) == found for wanted, found in trail.walks)
    return walks and all(is_importable(root, base, path) == answer for path, answer in trail.asked.items())


def walk_above(root: Root, base: Base, hidden: frozenset[str], wanted: frozenset[str]) -> list[str]:
    """The files directly in the ancestors, and those at and below `wanted` paths, even in the `hidden` folders."""
    parts = base.folder.split("/")
    above = frozenset("/".join(parts[:count]) for count in range(len(parts)))

    def enters(path: str) -> bool:
        leads = (each == path or not each or f"{each}/".startswith(f"{path}/") for each in wanted)
        inside = (f"{path}/".startswith(f"{each}/") for each in wanted)
        return path != base.folder and (path in above or any(leads) or any(inside))

    return [file.path for file in Walker(root, hidden, lambda _notice: None, enters).walk()]


def is_importable(root: Root, base: Base, path: str) -> bool:
    """Whether a path leads to a file of the repository outside the folder."""
    try:
        return is_above(base.to_folder(path)) and root.resolve(path).is_file()
    except ContextError:
        return False


def text_above(root: Root, path: str, read: dict[str, str | None]) -> str | None:
    """The text of a file of the repository, from `read`, which keeps it. None if it is unreadable."""
    if path not in read:
        read[path] = text_of(root, path)
    return read[path]


def _holds_home(root: Path) -> bool:
    try:
        return Path(os.path.realpath(Path.home())).is_relative_to(root)
    except (OSError, RuntimeError):
        return False
