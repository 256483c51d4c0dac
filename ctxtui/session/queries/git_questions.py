"""Git queries as plain data: diffs, changed files, logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal, get_args

from ctxtui.core.documents.git_diff import Between, check_paths, parts_of_range
from ctxtui.core.text.data.schema import Place, Reader, filled, flag, number, read, texts
from ctxtui.session.picks import CHANGED, DIFF, LOG, QueryPick

Kind = Literal["changed", "sections", "diff", "log"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of git queries that a word picks. `sections` are the changed sections of changed files."""
MOST_COMMITS: Final = 50


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes between two states, only in `paths`, if there are any, and never in `without`.

    A diff has one block per file or, if `whole`, one block. Changed files are taken as they are on disk, or only
    their changed `sections`.
    """

    between: Between
    paths: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    whole: bool = False
    sections: bool = False


@dataclass(frozen=True, slots=True)
class Commits:
    """The messages of up to `limit` commits in a range or up to a ref."""

    span: str
    paths: tuple[str, ...] = ()
    limit: int = MOST_COMMITS


def git_query(kind: Kind, word: str) -> tuple[str, dict[str, Any]]:
    """The name and data of the query for a word: a base, a range, `staged`, or nothing for the working tree.

    A log begins at the word, by default HEAD. The word is not checked.
    """
    word = word.strip()
    if kind == "log":
        return f"{LOG}{word or 'HEAD'}", {"log": word or "HEAD"}
    between = Between.named(word)
    if kind == "diff":
        return f"{DIFF}{between.words}", {"diff": word or {}}
    if kind == "changed":
        return f"{CHANGED}{between.words}", {"changed": word or {}}
    return f"{CHANGED}sections, {between.words}", {"changed": {"sections": True, **_compared_keys(between)}}


def _compared_keys(between: Between) -> dict[str, Any]:
    states = {"base": between.base, "range": between.span, "staged": between.staged}
    return {key: value for key, value in states.items() if value}


def leaving_out(data: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """The data of a diff or changed-files query that leaves out more files."""
    ((kind, value),) = data.items()
    known = _compared_keys(Between.named(value.strip())) if isinstance(value, str) else dict(value or {})
    return {kind: {**known, "without": list(dict.fromkeys((*known.get("without", ()), *paths)))}}


def path_filter(changes: Changes) -> Callable[[str], bool]:
    """A function that says whether a path is in none of the files and folders that the query leaves out."""
    without = {PurePosixPath(each) for each in changes.without}

    def is_wanted(path: str) -> bool:
        return not without or without.isdisjoint((PurePosixPath(path), *PurePosixPath(path).parents))

    return is_wanted


def asks_git(query: QueryPick) -> bool:
    return not {"diff", "changed", "log"}.isdisjoint(json.loads(query.definition))


def read_commits(place: Place, value: object) -> Commits:
    """The value of `log:`. Raises ContextError (invalid_request)."""
    given = {"range": value} if isinstance(value, str) else value
    found = read(place, given, {"range": _ref, "paths": _paths, "limit": number}, "range")
    span: str = found["range"]
    if ".." in span:
        place.within(lambda: parts_of_range(span))
    return Commits(span, found.get("paths", ()), found.get("limit", MOST_COMMITS))


def read_changes(place: Place, value: object, option: str) -> Changes:
    """The value of `diff:` with the option `whole`, or of `changed:` with `sections`.

    A text is a base, a range or `staged`, an empty value the working tree. Raises ContextError (invalid_request).
    """
    if isinstance(value, str) and value.strip():
        word = _ref(place, value)
        return Changes(place.within(lambda: _sound(Between.named(word))))
    found = read(place, value or {}, {**_STATES, option: flag})
    staged, base, span = found.get("staged", False), found.get("base", ""), found.get("range", "")
    if bool(staged) + bool(base) + bool(span) > 1:
        raise place.error("only one of `base`, `range` and `staged`", "without any, the working tree is compared")
    between = place.within(lambda: _sound(Between(base, span, staged)))
    chosen = {option: found.get(option, False)}
    return Changes(between, found.get("paths", ()), found.get("without", ()), **chosen)


def _sound(between: Between) -> Between:
    if between.span:
        parts_of_range(between.span)
    return between


def _ref(place: Place, value: object) -> str:
    found = filled(place, value).strip()
    if found.startswith("-") or not found.isprintable():
        raise place.wrong("is not a git ref", "name a branch, a tag or a commit")
    return found


def _paths(place: Place, value: object) -> tuple[str, ...]:
    found = texts(place, value)
    place.within(lambda: check_paths(found))
    return found


_STATES: Final[Mapping[str, Reader]] = {
    "base": _ref,
    "range": _ref,
    "staged": flag,
    "paths": _paths,
    "without": _paths,
}
