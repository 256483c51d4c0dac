"""The changed files of a project: in the working tree, staged, or since a base branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ctxtui.core.disk.git.git import SAFE_DIFF, Repository, inside, open_repository
from ctxtui.core.disk.git.repository import repository_root

MARKS: Final = {
    "M": "changed",
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "?": "untracked",
    "U": "in conflict",
}
"""The mark of each kind of change, and its meaning."""

WORKING, STAGED = "the working tree", "the index"
MARK_OF: Final = {"T": "M", "C": "A", ".": ""}
"""Other letters of git: type changes count as changes, copies as new files."""
# The number of words before the path of an entry of `git status --porcelain=v2`, by its kind.
_BEFORE_PATH = {"1": 8, "2": 9, "u": 10, "?": 1}
_REFS = ("refs/heads", "refs/remotes", "refs/tags")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed files by path below the project's folder, each with one of `MARKS`, including deleted files.

    `base` is the name of the base, or WORKING or STAGED.
    """

    base: str
    by_path: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The changes since the last commit, the staged ones, and all `since` a base, None without a base."""

    working: Changes = Changes(WORKING)
    staged: Changes = Changes(STAGED)
    since: Changes | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """A branch or tag to compare with: its short name, its kind, and the day of its commit as `YYYY-MM-DD`.

    `kind` is `branch`, `remote branch` or `tag`. `is_head` means checked out.
    """

    name: str
    kind: str
    day: str
    is_head: bool = False


def has_repository(root: Path) -> bool:
    """Whether a folder is in a repository. Does not start git, and never raises."""
    return repository_root(root) is not None


def read_work_tree(root: Path, base: str | None = None) -> WorkTree:
    """The changes in a project's folder, and those since its branch left `base`, including untracked files.

    Nothing that the repository configures is started: files with a filter, such as LFS, are compared unconverted if
    git has to read their text. Submodules are skipped. Raises ContextError as `Repository.run` does, NotFound for an
    unknown base.
    """
    repository = open_repository(root)
    options = ("--porcelain=v2", "-z", "--untracked-files=all", "--find-renames", "--ignore-submodules=all")
    entries = list(_parse_status(repository.prefix, repository.run_unfiltered("status", *options, "--", ".")))
    working: dict[str, str] = {}
    for both, path, before in entries:
        mark = _working_mark(both)
        place = before if mark == "D" else path
        if place is not None:
            # A file that was removed from the index and exists on disk has two entries.
            working[place] = "M" if {mark, working.get(place)} == {"?", "D"} else mark
    staged = {
        path: mark for both, path, _ in entries if both not in ("?", "U") and (mark := MARK_OF.get(both[0], both[0]))
    }
    since = _since(repository, base, working) if base is not None else None
    return WorkTree(Changes(WORKING, working), Changes(STAGED, staged), since)


def default_base(root: Path) -> str | None:
    """The branch that work starts from: the remote's default, `main`, `master`, the tracked branch, or None.

    Raises ContextError as `Repository.run` does.
    """
    form = "--format=%(refname)%00%(refname:short)%00%(symref:short)%00%(HEAD)%00%(upstream:short)"
    listed = open_repository(root).run("for-each-ref", form, "refs/heads", "refs/remotes")
    rows = [line.split("\0") for line in listed.decode("utf-8", "replace").splitlines()]
    found = {ref: leads_to or name for ref, name, leads_to, _, _ in rows}
    tracked = next((upstream for *_, is_head, upstream in rows if is_head == "*"), "")
    named = (found.get(ref) for ref in ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"))
    return next(filter(None, named), None) or tracked or None


def bases(root: Path) -> tuple[Base, ...]:
    """The branches and tags of a repository by the date of their commits, newest first, at most 2,000.

    Raises ContextError as `Repository.run` does.
    """
    form = "--format=%(refname)%00%(refname:short)%00%(symref)%00%(HEAD)%00%(creatordate:short)"
    listed = open_repository(root).run("for-each-ref", "--count=2000", "--sort=-creatordate", form, *_REFS)
    rows = (line.split("\0") for line in listed.decode("utf-8", "replace").splitlines())
    kinds = dict(zip(_REFS, ("branch", "remote branch", "tag"), strict=True))
    return tuple(
        Base(name, kinds["/".join(ref.split("/")[:2])], day, head == "*")
        for ref, name, symref, head, day in rows
        if not symref
    )


def _since(repository: Repository, base: str, working: Mapping[str, str]) -> Changes:
    """The changes from the commit where HEAD left `base` to the working tree, whose own changes are `working`."""
    tip, start = repository.resolve("HEAD"), repository.resolve(base)
    left = repository.merge_base(start, tip) or start
    options = (*SAFE_DIFF, "-z", "--name-status", "--no-relative", "--ignore-submodules=all")
    output = repository.run_unfiltered("diff", *options, left, "--", ".")
    marks = dict(_parse_name_status(repository.prefix, output))
    for path, mark in working.items():
        # To git, a file that is not in the index is deleted, also if it exists on disk.
        if marks.get(path) == "D" and mark not in "DU":
            marks[path] = "M"
        elif mark in "?U":
            marks[path] = mark
    return Changes(base, marks)


def _parse_status(prefix: str, output: bytes) -> Iterator[tuple[str, str, str | None]]:
    """The entries below `prefix` in the `output` of git's status: letters, path, and path in the last commit.

    The letters are those for index and disk, `?` or `U`. The last path is None for a file that was added or moved in.
    """
    words = iter(output.split(b"\0"))
    for word in words:
        kind = word[:1].decode("ascii", "replace")
        if kind not in _BEFORE_PATH:
            continue
        fields = word.split(b" ", _BEFORE_PATH[kind])
        path = inside(prefix, fields[-1])
        before = inside(prefix, next(words, b"")) if kind == "2" else path
        if path and not path.endswith("/"):
            both = {"?": "?", "u": "U"}.get(kind) or fields[1].decode("ascii", "replace")
            yield both, path, None if both[0] in "AC" else before


def _working_mark(both: str) -> str:
    """The mark of a file compared with the last commit, from its letters for index and disk, `?` or `U`."""
    if both in MARKS:
        return both
    staged, on_disk = both[0], both[1]
    if on_disk == "D":
        return "D"
    mark = on_disk if staged == "." else staged
    return MARK_OF.get(mark, mark)


def _parse_name_status(prefix: str, output: bytes) -> Iterator[tuple[str, str]]:
    """The paths below `prefix` in git's `--name-status -z` output, with marks. A moved file has its new path."""
    words = iter(output.split(b"\0"))
    for word in words:
        letter = word[:1].decode("ascii", "replace")
        if not letter:
            continue
        name = next(words, b"")
        if letter in "RC":
            name = next(words, b"")
        path = inside(prefix, name)
        if path:
            yield path, MARK_OF.get(letter, letter)
