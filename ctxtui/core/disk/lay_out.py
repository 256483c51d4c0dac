"""Files of a commit written into a new folder as they are in git: no filter, no hook, no name that git reserves.

Links lead outside only on request.
"""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from pathlib import Path
from typing import Final

from ctxtui.core.base.cancel import Check
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.disk.git.git import LINK, SUBMODULE, Repository

MOST_FILES: Final = 200_000
MOST_BYTES: Final = 2 * 1024**3

_MOST_TOLD: Final = 20
_DEEPEST: Final = 200
_LONGEST: Final = 240
_LONGEST_PATH: Final = 2_000
# Names that some file systems take for `.git`: short names, streams, and ignored characters.
_GIT = re.compile(r"(?:\.git|git~\d+)(?:[\s.:].*)?", re.IGNORECASE | re.DOTALL)


def refusal(path: str) -> str:
    """The reason not to write a path from git to disk, "" if it is allowed. Checks the path alone, not the disk."""
    steps = path.split("/")
    if any(step in ("", ".", "..") or "\0" in step or _GIT.fullmatch(_folded(step)) for step in steps):
        return "a name that git reserves"
    if os.name == "nt" and any("\\" in step or ":" in step for step in steps):
        return "a name that this system cannot have"
    is_long = len(steps) > _DEEPEST or len(os.fsencode(path)) > _LONGEST_PATH
    return "a name too long" if is_long or any(len(os.fsencode(step)) > _LONGEST for step in steps) else ""


def _folded(step: str) -> str:
    """A name in compatibility form (NFKC), without the invisible characters that some file systems ignore."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", step) if unicodedata.category(sign) != "Cf")


def write_file(folder: Path, path: str, data: bytes) -> str:
    """Write a new file and missing folders. Returns "", or the reason if its name exists. Raises other OSErrors."""
    target = folder / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return "another file has this name here"
    except (NotADirectoryError, IsADirectoryError):
        return "a file and a folder have one name"
    return ""


def write_link(folder: Path, path: str, data: bytes, outside: bool = False) -> str:
    """Write a link to the target `data`, once all files are written. Returns "", or the reason why not.

    `outside` allows targets anywhere. Raises nothing.
    """
    target = os.fsdecode(data)
    inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    is_out = target.startswith("/") or "\\" in target or inside == ".." or inside.startswith("../")
    if not 0 < len(data) <= _LONGEST_PATH or "\0" in target or (is_out and not outside):
        return "a link that leads out of the project"
    place = folder / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Below another link, `..` would lead elsewhere.
        if os.path.realpath(place.parent) != str(place.parent):
            return "a link below a link"
        place.symlink_to(target)
    except OSError as error:
        return f"a link that cannot be written: {error.strerror}"
    return ""


def unpack(repository: Repository, commit: str, folder: Path, check: Check) -> tuple[int, tuple[str, ...]]:
    """Write the files of a commit. Returns their size in bytes, and lines about the omitted files, at most 21.

    Raises ContextError (invalid_request) beyond 200,000 files or 2 GB, OSError without room or permission, and as
    `check` and `Repository.run` do.
    """
    files = repository.tree(commit)
    if len(files) > MOST_FILES:
        raise invalid(f"the project has {len(files):,} files; {MOST_FILES:,} are fetched")
    left_out: list[str] = []
    wanted: dict[str, list[str]] = {}

    def leave_out(path: str, reason: str) -> bool:
        """Note a file that is not written. Returns False without a reason."""
        if reason:
            left_out.append(f"{path}: {reason}")
        return bool(reason)

    for path, file in files.items():
        submodule = "a submodule; fetch it by its own address" if file.mode == SUBMODULE else ""
        if not leave_out(path, submodule or refusal(path)):
            wanted.setdefault(file.id, []).append(path)
    links: list[tuple[str, bytes]] = []
    size = 0
    for id_, data in repository.contents(wanted):
        check()
        for path in wanted.pop(id_):
            size += len(data)
            if size > MOST_BYTES:
                raise invalid(f"the project has over {MOST_BYTES // 1024**3} GB of files")
            if files[path].mode == LINK:
                links.append((path, data))
            else:
                leave_out(path, write_file(folder, path, data))
    left_out += [f"{path}: larger than {MAX_BYTES // 1024**2} MB" for paths in wanted.values() for path in paths]
    # Links come last, so that no file can be written through a link.
    for path, target in links:
        leave_out(path, write_link(folder, path, target))
    rest = len(left_out) - _MOST_TOLD
    more = [plural(rest, "more file")] if rest > 0 else []
    return size, (*map(plain_line, left_out[:_MOST_TOLD]), *more)
