"""Programs started by name, never from a folder that a project controls."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def executable(name: str, project: Path | None = None, path: str | None = None) -> str | None:
    """The path of an executable on the PATH, or in the folders of `path` if given. None if it is not found.

    Skips relative and empty entries and every entry that leads into the project's folder: a project could have
    planted the program there.
    """
    root = _root(project)
    for folder in _trusted_folders(os.environ.get("PATH", os.defpath) if path is None else path, root):
        found = shutil.which(name, path=folder)
        # Windows looks into the current folder first.
        if found and Path(found).parent == Path(folder) and not _is_below(Path(os.path.realpath(found)), root):
            return found
    return None


def safe_path(project: Path | None = None) -> str:
    """The PATH for a program that starts others by name, without the entries that `executable` skips."""
    return os.pathsep.join(_trusted_folders(os.environ.get("PATH", os.defpath), _root(project)))


def _trusted_folders(path: str, root: Path | None) -> Iterator[str]:
    for folder in path.split(os.pathsep):
        places = (Path(folder), Path(os.path.realpath(folder)))
        if os.path.isabs(folder) and not any(_is_below(place, root) for place in places):  # noqa: PTH117 - a text
            yield folder


def _root(project: Path | None) -> Path | None:
    """The real folder of a project, None without one or for the root of the file system, which holds everything."""
    root = None if project is None else Path(os.path.realpath(project))
    return None if root is None or root == root.parent else root


def _is_below(place: Path, root: Path | None) -> bool:
    return root is not None and place.is_relative_to(root)
