"""The commits of a branch along first parents: the files after each, and every file across moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ctxtui.audit.history.old_tree import FileStep, Tree
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.times import time_of
from ctxtui.core.disk.git.git import GitFile, Repository, inside

# Git detects edited moves up to this number of files, and exact moves always.
_MOVED_AND_EDITED = 50


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, with its first parent, empty for a root commit."""

    id: str
    time: datetime
    author: str
    subject: str
    parent: str = ""


def read_commits(repository: Repository, tip: str, count: int) -> tuple[Commit, ...]:
    """The last `count` commits up to `tip`, along first parents, that touched the project's folder, oldest first."""
    form = "--format=%H%x00%P%x00%ct%x00%an%x00%s"
    # Git ignores the option in a repository without commits. The root of a repository narrows to itself.
    output = repository.run(
        "rev-list", "--first-parent", f"--max-count={count}", "--encoding=UTF-8", form, tip, "--", "."
    )
    lines = output.decode("utf-8", "replace").split("\n")
    commits = []
    for id_, parents, seconds, author, subject in (line.split("\0", 4) for line in reversed(lines) if "\0" in line):
        parent = parents.partition(" ")[0]
        commits.append(Commit(id_, time_of(int(seconds or 0)), plain_line(author), plain_line(subject), parent))
    return tuple(commits)


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


def _changes(prefix: str, row: list[str], words: Iterator[bytes]) -> Iterator[FileStep]:
    """The change in one row of git, none outside the project. Takes its paths from `words`."""
    _, mode, _, id_, status = row
    after = GitFile(mode, id_) if id_.strip("0") else None
    path = inside(prefix, next(words))
    new_path = inside(prefix, next(words)) if status[0] in "RC" else path
    if path and status[0] == "R":
        yield FileStep(new_path, after, path) if new_path else FileStep(path, None)
    elif new_path:
        yield FileStep(new_path, after)


@dataclass(frozen=True, slots=True)
class Step:
    """A file from the commit at `position` on: its path and tokens, None if removed, not text or not counted."""

    position: int
    path: str
    tokens: int | None


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The sizes of one file over commits. `path` is its last path. Each change is one step."""

    path: str
    source: str
    steps: tuple[Step, ...]

    def at(self, position: int) -> int | None:
        """The tokens after the commit at index `position` of the history, or None without a file."""
        done = [step for step in self.steps if step.position <= position]
        return done[-1].tokens if done else None


@dataclass(slots=True)
class Series:
    """The versions of one file, last at `path`. A step is the commit's index, path and blob id, None if removed."""

    path: str
    steps: list[tuple[int, str, str | None]] = field(default_factory=list)


def follow_files(
    tree: Tree, changes: Sequence[Sequence[FileStep]], others: Sequence[frozenset[str]], wanted: frozenset[str]
) -> list[Series]:
    """Follow files and their moves through all states of a tree. Each file gives one series.

    The tree is in its first state, so `changes[0]` is not applied, and is left in its last. `wanted` files count in
    every state, those of `others[n]` in state n, too. A step is the index of a state, the path in it, and the id of
    the blob.
    """
    by_path: dict[str, Series] = {}
    every: list[Series] = []
    before = frozenset[str]()
    linked: Mapping[str, str] = {}
    for position, more in enumerate(others):
        done = changes[position] if position else ()
        tree.put(done)
        past, counted = tree.past, wanted | more if more else wanted
        for change in done:
            _move_series(change, by_path, counted)
        # A commit does not list the target of a link as changed.
        touched = {path for change in done for path in (change.path, change.old_path) if path} | (more ^ before)
        for links in (linked, past.linked):
            touched |= {*links, *links.values()}
        if position == 0:
            touched |= past.ids.keys()
        present = past.one_path_each(counted & past.ids.keys(), wanted) if past.linked else past.ids
        for path in sorted(touched & (counted | before)):
            id_ = past.ids[path] if path in present and path in counted else None
            if path not in by_path and id_ is not None:
                by_path[path] = Series(path)
                every.append(by_path[path])
            if path in by_path:
                _add_step(by_path[path], position, path, id_)
        before, linked = more, past.linked
    return every


def _move_series(change: FileStep, by_path: dict[str, Series], wanted: frozenset[str]) -> None:
    series = by_path.get(change.old_path or "")
    if series is not None and change.path not in by_path and change.path in wanted:
        del by_path[series.path]
        series.path = change.path
        by_path[change.path] = series


def _add_step(series: Series, position: int, path: str, id_: str | None) -> None:
    if not series.steps or series.steps[-1][1:] != (path, id_):
        series.steps.append((position, path, id_))
