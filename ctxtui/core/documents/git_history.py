"""The commits of a project, newest first: their messages, the files they changed, the lines they wrote."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.disk.git.git import SAFE_DIFF, Repository, open_repository
from ctxtui.core.documents.git_diff import parts_of_range
from ctxtui.core.text.secrets import has_secret

MOST: Final = 2_000
"""The maximum number of commits to read. Older ones say little about today's files."""

# Shorter lines, such as a closing bracket, are everywhere.
_SHORTEST: Final = 8
_KIND: Final = "latest changes"
_FORM: Final = "--format=%x00%H%x00%B%x00"
# Neither messages nor names contain NUL: any other sign may be a forged one.
_RECORD: Final = re.compile(r"\0([0-9a-f]+)\0([^\0]*)\0\0(?:\n((?:[^\0]+\0)+))?")
# A changed line begins with a sign, so none looks like this.
_COMMIT: Final = re.compile(r"^\x01", re.MULTILINE)
_OPTIONS: Final = ("--no-merges", "--no-renames", "--no-notes", "--no-decorate", "--no-color", "--no-mailmap")


@dataclass(frozen=True, slots=True)
class Change:
    """A commit: its id and message, and the changed files below the project's folder."""

    id: str
    message: str
    paths: tuple[str, ...]


def read_changes(root: Path) -> tuple[Change, ...]:
    """The latest 2,000 changes at most, newest first, without merges. Empty without git, repository or commits."""
    try:
        output = _cached_log(open_repository(root))
    except ContextError:
        return ()
    found = _RECORD.findall(output.decode("utf-8", "replace"))
    return tuple(Change(id_, message.strip(), tuple(names.split("\0")[:-1])) for id_, message, names in found)


def _cached_log(repository: Repository) -> bytes:
    """Git's log of the latest changes, cached by the last commit if it holds no secret.

    In a project of 5,302 files, they take 15 instead of 165 ms of processor time. `tests/core/test_git_diff.py`
    compares both ways.
    """
    below = ("--", ".") if repository.prefix else ()
    last = repository.run("rev-parse", "--is-shallow-repository", "HEAD")
    cache, digest = user_cache(), digest_of(b"\0".join((last, os.fsencode(repository.prefix))))
    # More history can come into a shallow clone below the same commit.
    is_whole = last.startswith(b"false")
    output: bytes | None = cache.known_fact(_KIND, digest) if is_whole else None
    if output is None:
        shown = ("--name-only", "--relative", "-z", "--encoding=UTF-8", f"--max-count={MOST}", _FORM)
        output = repository.run("log", *_OPTIONS, *shown, "HEAD", *below)
        if is_whole and not has_secret(output.decode("utf-8", "replace")):
            cache.keep_fact(_KIND, digest, output)
    cache.flush()
    return output


def read_written_lines(
    root: Path, changes: Sequence[Change], paths: Sequence[str]
) -> dict[str, Mapping[str, frozenset[str]]]:
    """The lines of over 8 characters that changes wrote, stripped, by change id and path. Empty if git fails."""
    wanted = frozenset(paths)
    # Git takes ten times as long to look for the changes by itself.
    ids = [change.id for change in changes if not wanted.isdisjoint(change.paths)]
    if not ids:
        return {}
    try:
        repository = open_repository(root)
        options = (*SAFE_DIFF, "--no-renames", "--unified=0", "--relative", "--dst-prefix=", "--no-walk=unsorted")
        output = repository.run("log", *_OPTIONS, *options, "--format=%x01%H", *ids, "--", *paths)
    except ContextError:
        return {}
    records = _COMMIT.split(output.decode("utf-8", "replace"))[1:]
    return {record.partition("\n")[0]: _written_lines_by_path(record) for record in records}


def _written_lines_by_path(record: str) -> dict[str, frozenset[str]]:
    """The lines of a commit's patches that are over 8 characters, stripped, by path."""
    found: dict[str, frozenset[str]] = {}
    for part in record.split("\ndiff --git ")[1:]:
        head, _, body = part.partition("\n@@")
        path = head.partition("\n+++ ")[2].partition("\n")[0].rstrip("\t")
        lines = (line[1:].strip() for line in body.split("\n") if line.startswith("+"))
        found[path] = frozenset(line for line in lines if len(line) > _SHORTEST)
    return found


_LOG_FORM = "--format=%H%x00%as%x00%B"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: the first twelve digits of its id, its author date as `YYYY-MM-DD`, subject and body."""

    id: str
    day: str
    subject: str
    body: str


def read_log(root: Path, span: str, most: int, paths: Sequence[str] = ()) -> tuple[tuple[Commit, ...], bool]:
    """At most `most` commits of a range `a..b`, or up to one ref, and whether there are more.

    Newest first. Only commits that touch `paths`, else the project's folder, count. Raises ContextError as
    `Repository.run` does and for `a...b` (invalid_request), NotFound for an unknown ref.
    """
    repository = open_repository(root)
    if ".." in span:
        one, dots, other = parts_of_range(span)
        if dots == "...":
            raise invalid(f"a log has no range {span}", hint=f"write {one}..{other}")
        ends = [repository.resolve(other), f"^{repository.resolve(one)}"]
    else:
        ends = [repository.resolve(span)]
    # Without paths, git shows merges as well. In a subfolder, only commits that touch it matter.
    below = list(paths) or (["."] if repository.prefix else [])
    options = ("--no-follow", "--no-notes", "--no-decorate", "--no-color", "--no-mailmap", "--no-patch")
    count = f"--max-count={most + 1}"
    output = repository.run("log", *options, "--encoding=UTF-8", "-z", _LOG_FORM, count, *ends, "--", *below)
    words = output.decode("utf-8", "replace").split("\0")
    found: list[Commit] = []
    for id_, day, message in zip(words[::3], words[1::3], words[2::3], strict=False):
        subject, _, body = message.strip("\n").partition("\n")
        found.append(Commit(id_[:12], day, subject.strip(), body.strip("\n")))
    return tuple(found[:most]), len(found) > most
