"""Places of files: how near they are to each other, and which folders are aside of the project's own code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import dirname
from typing import Final

from ctxtui.workspace.workspace import Workspace

# Packages in such folders are for the files in them.
_ASIDE: Final = re.compile(
    r"(?:__)?(?:tests?|testing|fixtures?|examples?|samples?|playgrounds?|templates?|vendor(?:ed)?|third[_-]party|node_modules)(?:__)?",
    re.IGNORECASE,
)


def candidates(workspace: Workspace) -> dict[str, int]:
    """The files that can be related, with their sizes in bytes: no large data, none that git ignores."""
    return {
        each.path: each.stamp.size
        for each in workspace.references
        if each.large is None and not each.ignored and "node_modules" not in each.path.split("/")
    }


def is_inside(path: str, folder: str) -> bool:
    """Whether a file or folder is below a folder, or that folder itself; all are in `""`."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def parents(folder: str) -> Sequence[str]:
    """A folder and those above it up to `""`, the innermost first."""
    found = [folder]
    while folder:
        folder = dirname(folder)
        found.append(folder)
    return found


def distance(folder: str, other: str) -> tuple[int, int, str]:
    """A sort key: how far another folder is from a folder, by the steps up to what they share, then by its depth."""
    mine, theirs = _parts(folder), _parts(other)
    shared = _shared(mine, theirs)
    return len(mine) - shared, len(theirs) - shared, other


def is_aside(folder: str, seen_from: str) -> bool:
    """Whether a folder is for tests, examples and the like outside of the folder it is seen from."""
    mine, theirs = _parts(seen_from), _parts(folder)
    return any(_ASIDE.fullmatch(part) for part in theirs[_shared(mine, theirs) :])


def _parts(folder: str) -> list[str]:
    return folder.split("/") if folder else []


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
