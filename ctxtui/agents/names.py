"""The names of skills, commands and rules."""

from __future__ import annotations

import posixpath

from ctxtui.agents.files import Files
from ctxtui.agents.globs import below_head
from ctxtui.agents.types import Row


def named(row: Row, path: str, files: Files) -> str:
    """The `name` in the frontmatter, else the folder of a skill, else the path within the row's folder."""
    name = (files.meta(path, row) or {}).get("name") if "name" in row.meta else None
    folder = posixpath.basename(posixpath.dirname(path))
    if name and isinstance(name, str) and not (row.misnamed == "folder" and folder):
        return name
    return folder if row.kind == "skill" and folder else posixpath.splitext(below_head(row.files, path))[0]
