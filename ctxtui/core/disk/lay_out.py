"""Files of git written into a new folder: no name that git reserves, nothing outside, not even through a link."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from pathlib import Path
from typing import Final

_DEEPEST: Final = 200
_LONGEST: Final = 240
_LONGEST_PATH: Final = 2_000
# Names that some file systems take for `.git`: short names, streams, and ignored characters.
_GIT = re.compile(r"(?:\.git|git~\d+)(?:[\s.:].*)?", re.IGNORECASE | re.DOTALL)


def refusal(path: str) -> str:
    """The reason why a path of git is not written, or ""."""
    steps = path.split("/")
    if any(step in ("", ".", "..") or "\0" in step or _GIT.fullmatch(_folded(step)) for step in steps):
        return "a name that git reserves"
    if os.name == "nt" and any("\\" in step or ":" in step for step in steps):
        return "a name that this system cannot have"
    is_long = len(steps) > _DEEPEST or len(os.fsencode(path)) > _LONGEST_PATH
    return "a name too long" if is_long or any(len(os.fsencode(step)) > _LONGEST for step in steps) else ""


def _folded(step: str) -> str:
    """A name without the characters that some file systems ignore."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", step) if unicodedata.category(sign) != "Cf")


def write_file(folder: Path, path: str, data: bytes) -> str:
    """Write a new file at an accepted path. Returns the reason if that fails.

    Raises OSError without room, or if the folder is not writable.
    """
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
    """Write a link, after all files. Returns the reason if that fails. `outside` allows any target."""
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
