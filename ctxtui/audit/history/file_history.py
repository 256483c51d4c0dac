"""Files through a series of commits: the state after each, and the steps of every file across moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ctxtui.audit.history.commits import Change, Commit
from ctxtui.audit.history.old_tree import LinkText, Past, past_of
from ctxtui.audit.history.start_cache import file_number
from ctxtui.core.git import LINK, SUBMODULE, GitFile


@dataclass(frozen=True, slots=True)
class State:
    """The files after one commit; `changes` are what it changed, `number` identifies the whole state."""

    position: int
    past: Past
    changes: Sequence[Change]
    number: int


def states(
    tree: Mapping[str, GitFile],
    commits: Sequence[Commit],
    changes: Mapping[str, Sequence[Change]],
    link_text: LinkText,
) -> Iterator[State]:
    """The states of commits in order; `tree` is that of the first, `changes` those of the others by id."""
    current = dict(tree)
    ids = _plain(current)
    number = sum(_number(path, file) for path, file in current.items())
    for position, commit in enumerate(commits):
        done = changes.get(commit.id, ()) if position else ()
        number += sum(_apply(change, current, ids) for change in done)
        has_links = any(file.mode == LINK for file in current.values())
        yield State(position, past_of(current, link_text) if has_links else Past(dict(ids)), done, number)


def _number(path: str, file: GitFile) -> int:
    return file_number(path, file.mode + file.id)


def _plain(tree: Mapping[str, GitFile]) -> dict[str, str]:
    return {path: file.id for path, file in tree.items() if file.mode not in (LINK, SUBMODULE)}


def _apply(change: Change, current: dict[str, GitFile], ids: dict[str, str]) -> int:
    """Apply a change; returns the difference in the number of the state."""
    difference = 0
    for path in filter(None, (change.old_path, change.path)):
        old = current.pop(path, None)
        ids.pop(path, None)
        difference -= _number(path, old) if old else 0
    if change.after is not None:
        current[change.path] = change.after
        ids |= _plain({change.path: change.after})
        difference += _number(change.path, change.after)
    return difference


@dataclass(slots=True)
class Series:
    """One file through the commits: its content from each position on; None from its removal on.

    `path` is its last one; a file that returns under its path is the same file.
    """

    path: str
    steps: list[tuple[int, str, str | None]] = field(default_factory=list)


def follow(row: Iterable[State], wanted: frozenset[str]) -> list[Series]:
    """The `wanted` files of a series of states across moves; a step is a position, the path then, the content's id.

    A file with links to it appears under one path only.
    """
    by_path: dict[str, Series] = {}
    found: list[Series] = []
    had_links = True
    for state in row:
        for change in state.changes:
            _move(change, by_path, wanted)
        # No commit lists a change of the file that a link leads to.
        has_links = bool(state.past.linked)
        touched = {*by_path, *state.past.ids} if has_links or had_links else _paths(state.changes)
        had_links = has_links
        present = state.past.once(wanted & state.past.ids.keys()) if has_links else state.past.ids
        for path in sorted(touched & wanted):
            id_ = state.past.ids[path] if path in present else None
            if path not in by_path and id_ is not None:
                by_path[path] = Series(path)
                found.append(by_path[path])
            if path in by_path:
                _step(by_path[path], state.position, path, id_)
    return found


def _move(change: Change, by_path: dict[str, Series], wanted: frozenset[str]) -> None:
    series = by_path.get(change.old_path or "")
    if series is not None and change.path not in by_path and change.path in wanted:
        del by_path[series.path]
        series.path = change.path
        by_path[change.path] = series


def _step(series: Series, position: int, path: str, id_: str | None) -> None:
    if not series.steps or series.steps[-1][1:] != (path, id_):
        series.steps.append((position, path, id_))


def _paths(changes: Iterable[Change]) -> set[str]:
    return {path for change in changes for path in (change.path, change.old_path) if path}
