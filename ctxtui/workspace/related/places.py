"""Distances between paths, and folders outside the project's own code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from posixpath import dirname
from typing import Final

from ctxtui.workspace.workspace import Workspace

# Packages in such folders are for the files in them.
_ASIDE: Final = re.compile(
    r"(?:__)?(?:tests?|testing|fixtures?|examples?|samples?|playgrounds?|templates?|vendor(?:ed)?|third[_-]party|node_modules)(?:__)?",
    re.IGNORECASE,
)


def candidates(workspace: Workspace) -> dict[str, int]:
    """The files that can be related, with their sizes in bytes: not large, not ignored, outside `node_modules`."""
    return {
        each.path: each.stamp.size
        for each in workspace.references
        if each.large is None and not each.ignored and "node_modules" not in each.path.split("/")
    }


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it. Every path is in `""`."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def parents(folder: str) -> Sequence[str]:
    """A folder and its ancestors up to `""`, the innermost first."""
    found = [folder]
    while folder:
        folder = dirname(folder)
        found.append(folder)
    return found


def distance(folder: str, other: str) -> tuple[int, int, str]:
    """A sort key of the folder `other` seen from `folder`: the steps up to a common ancestor, then those down."""
    mine, theirs = _parts(folder), _parts(other)
    shared = _shared(mine, theirs)
    return len(mine) - shared, len(theirs) - shared, other


def is_aside(folder: str, seen_from: str) -> bool:
    """Whether a folder holds tests, examples or similar files outside the folder `seen_from`."""
    mine, theirs = _parts(seen_from), _parts(folder)
    return any(_ASIDE.fullmatch(part) for part in theirs[_shared(mine, theirs) :])


def _parts(folder: str) -> list[str]:
    return folder.split("/") if folder else []


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
