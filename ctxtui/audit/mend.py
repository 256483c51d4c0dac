"""Changes that do what the remedy of a finding says, and the commands that do the same."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ctxtui.audit.advice import Advice
from ctxtui.audit.types import Edit, Finding, NewFile, Removal, Step
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import Root

_TWIN: Final = "CLAUDE.md"
_IMPORT: Final = "@AGENTS.md\n"
_TO: Final = re.compile(r"(?:rename|move) (?:it|each) to (?P<to>[^\s,]+)")
_INTO: Final = re.compile(r"write `(?P<text>@AGENTS\.md)` into (?P<into>\S+)")


class Mend(NamedTuple):
    """A change in words and steps. `commands` do the same in a shell, from the project's folder."""

    title: str
    steps: tuple[Step, ...]
    commands: tuple[str, ...] = ()


def mend(root: Root, finding: Finding, advice: Advice) -> Mend | None:
    """The change that the remedy of a finding names, or None if only a person can decide or write it."""
    if finding.fix is not None:
        return Mend(advice.remedy, (finding.fix,))
    paths = list(dict.fromkeys(place.path for place in finding.places)) or [finding.path or ""]
    if f"put a {_TWIN}" in advice.remedy:
        twins = [posixpath.join(posixpath.dirname(path), _TWIN) for path in paths]
        commands = tuple(f"printf '%s' {shlex.quote(_IMPORT)} > {shlex.quote(twin)}" for twin in twins)
        title = f"create {_some(twins)} with the line `{_IMPORT.strip()}`"
        return Mend(title, tuple(NewFile(twin, _IMPORT) for twin in twins), commands)
    if found := _INTO.search(advice.remedy):
        return _import(root, found["into"], found["text"])
    moved = dict(_moved(advice.remedy, paths))
    return _moves(root, moved) if moved else None


def _moved(remedy: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The new path of each file."""
    to = _TO.search(remedy)
    for path in paths:
        folder, name = posixpath.split(path)
        stem = posixpath.splitext(name)[0]
        if remedy == "rename it to end in .mdc":
            yield path, posixpath.join(folder, f"{stem}.mdc")
        elif to is not None:
            place = to["to"].replace("NAME", stem)
            yield path, place if "/" in place or "move" in to[0] else posixpath.join(folder, place)


def _moves(root: Root, moved: dict[str, str]) -> Mend | None:
    steps: list[Step] = []
    try:
        for old, new in moved.items():
            data = root.read(old).data
            # A step writes text, and a file that is not UTF-8 would change.
            steps += [NewFile(new, data.decode()), Removal(old, digest_of(data))]
    except (ContextError, UnicodeDecodeError):
        return None
    commands = tuple(f"git mv {shlex.quote(old)} {shlex.quote(new)}" for old, new in moved.items())
    first = next(iter(moved.values()))
    what = f"rename {plural(len(moved), 'file')}, first to {first}" if len(moved) > 1 else f"rename it to {first}"
    return Mend(what, tuple(steps), commands)


def _import(root: Root, path: str, text: str) -> Mend | None:
    try:
        data = root.read(path).data
    except ContextError:
        return None
    end = "\r\n" if b"\r\n" in data else "\n"
    return Mend(f"write `{text}` at the top of {path}", (Edit(path, 0, 0, f"{text}{end}{end}", digest_of(data)),))


def _some(paths: list[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths):,} files such as {paths[0]}"
