"""The repository of a folder, and its git folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.config import GitFolder, Look, own_settings
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.root import read_file

_MOST: Final = 64 * 1024
_FILE_SAYS: Final = "gitdir: "


def repository_root(folder: str | os.PathLike[str]) -> tuple[Path, str] | None:
    """The nearest folder with `.git`, this one or an ancestor, and the path down from it ("" for itself).

    None without a repository. Links are resolved first. Paths without permission count as missing. Never raises.
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


def git_folder(top: Path, look: Look) -> GitFolder:
    """The git folder of a resolved folder that holds `.git`.

    In a linked working tree or a submodule, `.git` is a file or a link to a git folder elsewhere, which must name
    this folder: otherwise a project could lead into any repository of the user. Raises ContextError (invalid_request)
    if it does not.
    """
    place = top / ".git"
    own = place
    if not place.is_dir():
        said = _said(place, look)
        own = top / said.removeprefix(_FILE_SAYS) if said.startswith(_FILE_SAYS) else place
    own = Path(os.path.realpath(own))
    shared = _said(own / "commondir", look)
    common = Path(os.path.realpath(own / shared)) if shared else own
    found = GitFolder(top, own, common)
    if not (_names_back(found, look) or (own == common and own.is_relative_to(top))):
        hint = (
            "if it is a working tree of yours: git worktree repair, there; if you keep its git folder elsewhere:"
            f" git config core.worktree {top}"
        )
        raise ContextError(
            "invalid_request", f"{place} leads to another repository, which does not name {top}", hint=hint
        )
    return found


def _names_back(found: GitFolder, look: Look) -> bool:
    """Whether a git folder names the folder that leads to it."""
    own, common = found.own, found.common
    if own != common:
        said = _said(own / "gitdir", look)
        return own.parent == common / "worktrees" and Path(os.path.realpath(own / said)) == found.top / ".git"
    named = [own_settings(own, name, look).get("core.worktree", "") for name in ("config", "config.worktree")]
    return any(each and Path(os.path.realpath(own / each)) == found.top for each in named)


def _said(place: Path, look: Look) -> str:
    """The content of one of git's small files, or "" if it is unreadable."""
    look(str(place))
    try:
        return os.fsdecode(read_file(place, _MOST).data).rstrip("\r\n")
    except ContextError:
        return ""


def git_kind(folder: str | os.PathLike[str]) -> int:
    """The file type of the `.git` in a folder, without following links. 0 if it is missing."""
    try:
        return stat.S_IFMT(os.lstat(os.path.join(folder, ".git")).st_mode)  # noqa: PTH118 - thousands are asked
    except OSError:
        return 0
