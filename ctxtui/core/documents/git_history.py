"""The latest changes of a project: which files each commit changed, and its message, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.git import open_repository

MOST: Final = 2_000
"""The maximum number of commits to read. Older ones say little about today's files."""

_FORM: Final = "--format=%x01%B%x02"
_OPTIONS: Final = ("--no-merges", "--no-renames", "--no-notes", "--no-decorate", "--no-color", "--no-mailmap")


@dataclass(frozen=True, slots=True)
class Change:
    """A commit: its message, and the changed files below the project's folder."""

    message: str
    paths: tuple[str, ...]


def read_changes(root: Path) -> tuple[Change, ...]:
    """The latest changes, merges left out. Nothing without git, without a repository and without commits."""
    try:
        repository = open_repository(root)
        below = ("--", ".") if repository.prefix else ()
        shown = ("--name-only", "--relative", "-z", "--encoding=UTF-8", f"--max-count={MOST}", _FORM)
        output = repository.run("log", *_OPTIONS, *shown, "HEAD", *below)
    except ContextError:
        return ()
    return tuple(map(_change, output.decode("utf-8", "replace").split("\x01")[1:]))


def _change(record: str) -> Change:
    message, _, names = record.partition("\x02")
    return Change(message.strip(), tuple(name for name in names.strip("\0\n").split("\0") if name))
