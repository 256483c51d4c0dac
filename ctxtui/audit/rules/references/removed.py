"""The commits that removed paths: what git says of a path that a text still names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.audit.text.near import is_put_away
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.git import Repository, inside, open_repository

# Each commit of the output, with the paths that it removed or moved.
_FORM = ("--format=%x01%h", "-z")
_COMMIT = re.compile(rb"\x01(\w+)\0")
# No text for agents is older, and its author knew what was gone by then.
_SINCE = "--since=2023-01-01"
_MOST = 200


class Removal(NamedTuple):
    """The commit that removed a path, and the path that it has now, empty if there is none."""

    commit: str
    to: str

    def told_of(self, path: str) -> str:
        """A clause on a path, or `it`: `commit 1a2b3c4 moved it to docs/api.md`."""
        return f"commit {self.commit} moved {f'{path} to {self.to}' if self.to else f'or removed {path}'}"

    def __str__(self) -> str:
        return self.told_of("it")


def removed(audited: Audited, paths: Iterable[str]) -> Mapping[str, Removal]:
    """The removals, by path, of the first 200 paths that are gone, files or folders. Empty without a history."""
    # Files of a folder that is still there may have gone.
    named = (each for each in paths if each and "\0" not in each and not each.startswith("../"))
    gone = (each for each in named if not audited.exists(each))
    asked = list(dict.fromkeys(gone))[:_MOST]
    if not asked:
        return {}
    try:
        repository = open_repository(audited.workspace.root)
        words = ("--name-only", "--no-renames", "--diff-filter=D", _SINCE, "--", *asked)
        commits, lost = dict[str, str](), dict[str, list[str]]()
        for commit, names in _log(repository, words):
            lost[commit] = names
            for path in names:
                # The newest commit comes first.
                for each in (path, *folders_above(path)):
                    commits.setdefault(each, commit)
        known = {path: commits[path] for path in asked if path in commits}
        moves = _moves(repository, set(known.values())) if known else {}
    except ContextError:
        return {}
    return {
        path: Removal(commit, _new_path(audited, path, moves.get(commit, {}), lost[commit]))
        for path, commit in known.items()
    }


def _log(repository: Repository, words: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Run `git log` with these words. Yields each commit and the names printed for it, empty outside the project."""
    _, *parts = _COMMIT.split(repository.run("--literal-pathspecs", "log", *_FORM, *words))
    for commit, names in zip(parts[::2], parts[1::2], strict=True):
        words_of_commit = names.strip(b"\n\0").split(b"\0")
        yield commit.decode(), [inside(repository.prefix, each.strip(b"\n")) or "" for each in words_of_commit]


def _moves(repository: Repository, commits: Iterable[str]) -> dict[str, dict[str, str]]:
    """The new paths of files that these commits moved, by commit and old path."""
    words = ("--no-walk", "--find-renames", "--diff-filter=R", "--name-status", *sorted(commits))
    # A status, an old and a new path are three words. Outside a subfolder of a repository, all are paths.
    return {commit: dict(zip(names[1::3], names[2::3], strict=True)) for commit, names in _log(repository, words)}


def _new_path(audited: Audited, path: str, moves: Mapping[str, str], lost: Sequence[str]) -> str:
    """The current path of a moved file or folder, empty if that is unclear.

    `moves` are new paths by old paths, `lost` the paths that the commit removed or moved.
    """
    if path in moves:
        return _if_current(audited, moves[path])
    tails = [(new, old.removeprefix(path)) for old, new in moves.items() if old.startswith(f"{path}/")]
    # A folder whose files were mostly deleted is not where the others are now.
    if 2 * len(tails) < sum(each.startswith(f"{path}/") for each in lost):
        return ""
    folders = {new.removesuffix(tail) if new.endswith(tail) else "" for new, tail in tails}
    return _if_current(audited, folders.pop()) if len(folders) == 1 else ""


def _if_current(audited: Audited, path: str) -> str:
    return path if path and audited.exists(path) and not is_put_away(path) else ""
