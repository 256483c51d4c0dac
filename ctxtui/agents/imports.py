"""`@path` imports: which files a text pulls in, and which those pull in themselves."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterator
from typing import NamedTuple

from ctxtui.core.markdown.light import prose

Mentioned = Callable[[str], tuple[str, ...]]
"""Gives the `mentions` of a file by its path."""

MAX_IMPORTS = 1_000
"""How many imports of one file are followed where files enter again and again, which may go on for ever."""

_SPAN = re.compile(r"(?<!`)(`++).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"^ {0,3}<!--(?:.*?-->|.*)", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
_BREAK = re.compile(r"\n[ \t]*+\n")
_LINES = re.compile(r"\r\n|\r|\n")
_FILE_LIKE = re.compile(r"[./~].*/.*|.*\.(?:md|mdc|mdx|txt|json|ya?ml|toml)")


class Import(NamedTuple):
    """A file that an instruction file pulls in; `reached` is false beyond the agent's last hop."""

    path: str
    importer: str
    reached: bool


class Unmet(NamedTuple):
    """An import that leads nowhere: the file and line (from 1) that ask for it, what is asked for, and why not."""

    importer: str
    line: int
    target: str
    why: str


def mentions(text: str) -> tuple[str, ...]:
    """The targets of all `@path` outside code spans, fences and HTML comments, as written."""
    if "@" not in text:
        return ()
    # One kind of line end: what splits paragraphs must not depend on the file's.
    unfenced = "\n".join(_LINES.sub("\n", text[start:end]) for start, end in prose(text))
    paragraphs = (_SPAN.sub("`", paragraph) for paragraph in _BREAK.split(_COMMENT.sub(" ", unfenced)))
    written = (match[1] for paragraph in paragraphs for match in _IMPORT.finditer(paragraph))
    targets = (target.replace("\\ ", " ").partition("#")[0] for target in written)
    return tuple(dict.fromkeys(filter(None, targets)))


def follow(
    path: str, hops: int, mentioned: Mentioned, known: Container[str], again: bool = False
) -> Iterator[Import]:
    """The imports of a file in reading order.

    Each path that is reached comes once, whatever the cycles; with `again` it comes at every mention that does
    not lie within an import of itself, until `MAX_IMPORTS` are reached. Targets are relative to the importing
    file. Only known paths count, so nothing outside the project does.
    """
    return (_each if again else _once)(path, hops, mentioned, known)


def unmet(path: str, text: str, known: Container[str]) -> Iterator[Unmet]:
    """The imports in a file that look like files and are none, or lie outside the project."""
    for target in mentions(text):
        inside = _resolved(path, target)
        if inside in known or not _FILE_LIKE.fullmatch(target):
            continue
        offset = max(text.find("@" + target.replace(" ", "\\ ")), 0)
        line = len(_LINES.findall(text, 0, offset)) + 1
        why = "no such file" if inside else "outside the project, not read here"
        yield Unmet(path, line, target, why)


def _once(path: str, hops: int, mentioned: Mentioned, known: Container[str]) -> Iterator[Import]:
    seen = {path}
    todo = [(Import(path, "", True), 0)]
    while todo:
        current, depth = todo.pop()
        if depth:
            yield current
        if not current.reached:
            continue
        fresh = [target for target in _targets(current.path, mentioned, known) if target not in seen]
        seen.update(fresh if depth < hops else ())
        todo += [(Import(target, current.path, depth < hops), depth + 1) for target in reversed(fresh)]


def _each(path: str, hops: int, mentioned: Mentioned, known: Container[str]) -> Iterator[Import]:
    reached = 0
    todo: list[tuple[Import, frozenset[str]]] = [(Import(path, "", True), frozenset())]
    while todo and reached <= MAX_IMPORTS:
        current, within = todo.pop()
        if current.importer:
            yield current
            within |= {current.path}
        if current.reached:
            reached += 1
            fresh = [target for target in _targets(current.path, mentioned, known) if target not in within]
            is_near = len(within) < hops
            todo += [(Import(target, current.path, is_near), within) for target in reversed(fresh)]


def _targets(path: str, mentioned: Mentioned, known: Container[str]) -> Iterator[str]:
    resolved = (_resolved(path, target) for target in mentioned(path))
    yield from dict.fromkeys(target for target in resolved if target in known)


def _resolved(path: str, target: str) -> str:
    """Where an import leads, `""` for a place outside the project."""
    if target.startswith(("/", "~")):
        return ""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return "" if place.split("/")[0] == ".." else place
