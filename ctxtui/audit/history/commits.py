"""The commits of a branch along its first parents, and the files that each of them changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.git.git import GitFile, Repository, inside

# The limit up to which git recognizes files moved and edited at once; unedited moves are always recognized.
_MOVED_AND_EDITED = 50
_LAST_TIME = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_NONE = "0"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its id, commit time, author, and the first line of its message."""

    id: str
    time: datetime
    author: str
    subject: str
    parent: str = ""


class Change(NamedTuple):
    """The state of a file below the project's folder after a commit; None if the commit removed it.

    `old_path` is its path before a move, which no longer exists.
    """

    path: str
    after: GitFile | None
    old_path: str | None = None


def read_commits(repository: Repository, tip: str, count: int) -> tuple[Commit, ...]:
    """The last commits that touched the project's folder, oldest first; of side branches, only the merges."""
    form = "--format=%H%x00%P%x00%ct%x00%an%x00%s"
    # Without a commit, git ignores the option; a folder of the repository narrows to itself.
    output = repository.run(
        "rev-list", "--first-parent", f"--max-count={count}", "--encoding=UTF-8", form, tip, "--", "."
    )
    lines = output.decode("utf-8", "replace").split("\n")
    return tuple(_commit(line) for line in reversed(lines) if "\0" in line)


def read_changes(repository: Repository, commits: Sequence[Commit]) -> dict[str, list[Change]]:
    """The changes of commits since their first parents, by commit id; commits without a parent are left out."""
    pairs = "".join(f"{commit.id} {commit.parent}\n" for commit in commits if commit.parent)
    options = ("--stdin", "-r", "-z", "--raw", "--no-abbrev", "-M", f"-l{_MOVED_AND_EDITED}")
    output = repository.run("diff-tree", *options, "--", ".", data=pairs.encode()) if pairs else b""
    changes: dict[str, list[Change]] = {}
    current: list[Change] = []
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


def _changes(prefix: str, row: list[str], words: Iterator[bytes]) -> Iterator[Change]:
    _, mode, _, id_, status = row
    after = GitFile(mode, id_) if id_.strip(_NONE) else None
    path = inside(prefix, next(words))
    new_path = inside(prefix, next(words)) if status[0] in "RC" else path
    if path and status[0] == "R":
        yield Change(new_path, after, path) if new_path else Change(path, None)
    elif new_path:
        yield Change(new_path, after)
