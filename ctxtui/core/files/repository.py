"""The repository that a folder belongs to."""

from __future__ import annotations

import os
from pathlib import Path

from ctxtui.core.files.open_at import exists


def repository_root(folder: str | os.PathLike[str]) -> tuple[Path, str] | None:
    """The nearest folder, this one or one above it, that holds `.git`, and the way down from there (`""`: none).

    None if there is none. Links are resolved first; paths without permission count as missing. Never raises.
    """
    try:
        start = Path(os.path.realpath(folder))
    except (OSError, ValueError):
        return None
    root = next((each for each in (start, *start.parents) if exists(each / ".git")), None)
    if root is None:
        return None
    below = start.relative_to(root).as_posix()
    return root, "" if below == "." else below
