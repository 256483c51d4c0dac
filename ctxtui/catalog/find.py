"""Domain catalogs of a project, for callers without an open workspace."""

from __future__ import annotations

import os

from ctxtui.catalog.source import find_roots
from ctxtui.core import source
from ctxtui.core.files.look import Looks
from ctxtui.core.files.root import Root
from ctxtui.core.files.walk import Walker
from ctxtui.core.notices import Notice


def find_catalogs(project: str | os.PathLike[str]) -> list[str]:
    """The root folders of the catalogs below a project, relative to it, `""` for the project itself.

    Folders that cannot be listed are skipped, because the workspace reports them.
    """
    root = Root(project)
    found = Walker(root, frozenset(), _quiet).walk()
    files = tuple(file for file in source.visible(found) if file.path.endswith(".md"))
    return find_roots(source.Project(Looks(root, files), files, _quiet), source.by_folder(files))


def _quiet(_notice: Notice) -> None:
    """The workspace reports these notices."""
