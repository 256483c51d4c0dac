"""The commits of a branch along first parents, and the files that each commit changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.git.git import GitFile, Repository, inside

# Git detects edited moves up to this number of files, and exact moves always.
_MOVED_AND_EDITED = 50
_LAST_TIME = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_NONE = "0"


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    time: datetime
    author: str
    subject: str
    parent: str = ""


class FileStep(NamedTuple):
    """A file below the project's folder after a commit, or None if it was removed.

    `old_path` is the path before a move, which no longer exists.
    """

    path: str
    after: GitFile | None
    old_path: str | None = None


def read_commits(repository: Repository, tip: str, count: int) -> tuple[Commit, ...]:
    """The last commits that touched the project's folder, oldest first. Merges stand for side branches."""
    form = "--format=%H%x00%P%x00%ct%x00%an%x00%s"
    # Git ignores the option in a repository without commits. The root of a repository narrows to itself.
    output = repository.run(
        "rev-list", "--first-parent", f"--max-count={count}", "--encoding=UTF-8", form, tip, "--", "."
    )
    lines = output.decode("utf-8", "replace").split("\n")
    return tuple(_commit(line) for line in reversed(lines) if "\0" in line)


def read_changes(repository: Repository, commits: Sequence[Commit]) -> dict[str, list[FileStep]]:
    """The changes of commits since their first parents, by commit id, without root commits."""
    pairs = "".join(f"{commit.id} {commit.parent}\n" for commit in commits if commit.parent)
    options = ("--stdin", "-r", "-z", "--raw", "--no-abbrev", "-M", f"-l{_MOVED_AND_EDITED}")
    output = repository.run("diff-tree", *options, "--", ".", data=pairs.encode()) if pairs else b""
    changes: dict[str, list[FileStep]] = {}
    current: list[FileStep] = []
    words = iter(output.split(b"\0"))
    for word in words:
        if word.startswith(b":"):
            current += _changes(repository.prefix, word[1:].decode().split(" "), words)
        elif word:
            current = changes.setdefault(word.decode(), [])
    return changes


def _commit(line: str) -> Commit:
    id_, parents, seconds, author, subject = line.split("\0", 4)
    time = datetime.fromtimestamp(min(int(seconds or 0), _LAST_TIME), UTC)
    return Commit(id_, time, plain_line(author), plain_line(subject), parents.partition(" ")[0])


def _changes(prefix: str, row: list[str], words: Iterator[bytes]) -> Iterator[FileStep]:
    _, mode, _, id_, status = row
    after = GitFile(mode, id_) if id_.strip(_NONE) else None
    path = inside(prefix, next(words))
    new_path = inside(prefix, next(words)) if status[0] in "RC" else path
    if path and status[0] == "R":
        yield FileStep(new_path, after, path) if new_path else FileStep(path, None)
    elif new_path:
        yield FileStep(new_path, after)
