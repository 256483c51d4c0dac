"""Checks before git is started: the repository belongs to the project, and git can read it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.disk.git.repository import GitFolder, excludes_file, git_folder, repository_root, settings_of
from ctxtui.core.disk.root import Root

# Git does not read these folders for history and changes.
_UNREAD: Final = frozenset({"hooks", "lfs", "modules", "worktrees"})
_ALTERNATES: Final = "objects/info/alternates"
_MOST: Final = 64 * 1024
# Opening one waits for a writer, or never ends.
_ENDLESS: Final = (stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK)


def checked_repository(root: Path) -> Path | None:
    """The folder of the repository that contains a project's folder, once it is safe to start git there.

    None without a repository. Raises ContextError (invalid_request) if the repository belongs to another folder,
    takes objects from another repository, or holds a pipe or a device, for which git would wait.
    """
    found = repository_root(root)
    if found is None:
        return None
    top, inner = found
    places: list[str] = []
    git = git_folder(top, places.append)
    user = excludes_file(settings_of(git, places.append), top)
    folders = [top.joinpath(*inner.split("/")[:depth]) for depth in range(inner.count("/") + 2 if inner else 1)]
    names = (".gitignore", ".gitattributes", ".mailmap")
    for place in (*places, user, *(str(folder / name) for folder in folders for name in names)):
        _refuse_endless(place)
    for folder in dict.fromkeys((git.own, git.common)):
        for entry in _links_and_special_files(folder):
            _refuse_endless(entry.path)
            real = Path(os.path.realpath(entry.path))
            if entry.is_symlink() and not any(real.is_relative_to(each) for each in git):
                hint = "replace the link with what it leads to"
                raise invalid(f"{entry.path} leads to {real}, out of the repository", hint=hint)
    _refuse_alternates(git)
    return top


def _links_and_special_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The links and special files in a git folder, at any depth, in no order. Unreadable folders are skipped."""
    left = [str(folder)]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left += [] if entry.name in _UNREAD else [entry.path]
                    elif not entry.is_file(follow_symlinks=False):
                        yield entry
        except OSError:
            # Git cannot read it either, and reports that.
            continue


def _refuse_endless(place: str) -> None:
    """Raise ContextError (invalid_request) for a pipe or a device, unless it is the null device."""
    try:
        kind = stat.S_IFMT(os.stat(place).st_mode) if place else 0  # noqa: PTH116 - a text
    except OSError:
        return
    if kind in _ENDLESS and os.path.realpath(place) != os.devnull:
        hint = "remove it, or replace it with a file"
        raise invalid(f"{place} is a pipe or a device; git is not started", hint=hint)


def _refuse_alternates(git: GitFolder) -> None:
    """Raise ContextError (invalid_request) if a repository takes objects from another one."""
    try:
        lines = Root(git.common).read(_ALTERNATES, _MOST).data.splitlines()
    except ContextError:
        return
    if any(line.strip() and not line.startswith(b"#") for line in lines):
        place = git.common / _ALTERNATES
        hint = f"if you cloned it so: git repack -a -d, then remove {place}"
        raise invalid(f"{place} takes objects from another repository", hint=hint)
