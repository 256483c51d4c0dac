"""The messages of commits, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.git import open_repository
from ctxtui.core.documents.git_diff import parts_of_range

_FORM = "--format=%H%x00%as%x00%B"
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: the first twelve digits of its id, its author date as `YYYY-MM-DD`, subject and body."""

    id: str
    day: str
    subject: str
    body: str


def read_log(root: Path, span: str, most: int, paths: Sequence[str] = ()) -> tuple[tuple[Commit, ...], bool]:
    """At most `most` commits of a range `a..b`, or up to one ref, and whether there are more.

    Only commits that touch the project's folder count. Raises ContextError as `Repository.run` does, NotFound for an
    unknown ref.
    """
    repository = open_repository(root)
    if ".." in span:
        one, dots, other = parts_of_range(span)
        if dots == "...":
            raise ContextError("invalid_request", f"a log has no range {span}", hint=f"write {one}..{other}")
        ends = [repository.resolve(other), f"^{repository.resolve(one)}"]
    else:
        ends = [repository.resolve(span)]
    # Without paths, git shows merges as well. In a subfolder, only commits that touch it matter.
    below = list(paths) or (["."] if repository.prefix else [])
    options = ("--no-follow", "--no-notes", "--no-decorate", "--no-color", "--no-mailmap", "--no-patch")
    count = f"--max-count={most + 1}"
    output = repository.run("log", *options, "--encoding=UTF-8", "-z", _FORM, count, *ends, "--", *below)
    words = output.decode("utf-8", "replace").split("\0")
    found = [_commit(*words[place : place + 3]) for place in range(0, len(words) - 2, 3)]
    return tuple(found[:most]), len(found) > most


def _commit(id_: str, day: str, message: str) -> Commit:
    subject, _, body = message.strip("\n").partition("\n")
    return Commit(id_[:_DIGITS], day, subject.strip(), body.strip("\n"))
