"""`@path` imports: the files that a text imports, and those that they import in turn."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from ctxtui.agents.at_home import is_at_home
from ctxtui.agents.unmet import Unmet
from ctxtui.core.markdown.inline_texts import inline_texts
from ctxtui.core.markdown.light import prose

Mentioned = Callable[[str], tuple[str, ...]]
"""Returns the `mentions` of a file by its path."""

MAX_IMPORTS = 1_000
"""The most imports of one file to follow if files may enter repeatedly, which might never end."""

_SPAN = re.compile(r"(?<!`)(`++).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"^ {0,3}<!--(?:.*?-->|.*)", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
# Where the Markdown of a line may begin or end what an import looks at.
_MARKED = re.compile(r"[*_`>)\[]@[^\s@]|(?:^|\s)@\S*[*_`<\]]")
# Longer paragraphs and texts are not parsed for markup, which could take long.
_LONG_PARAGRAPH = 1_000
_LONG_TEXT = 100_000
_MANY_BRACKETS = 50
_BREAK = re.compile(r"\n[ \t]*+\n")
_LINES = re.compile(r"\r\n|\r|\n")
_FILE_LIKE = re.compile(r"[./~].*/.*|.*\.(?:md|mdc|mdx|txt|json|ya?ml|toml)")


class Import(NamedTuple):
    """A file that an instruction file imports; `reached` is false beyond the agent's last hop."""

    path: str
    importer: str
    reached: bool


def mentions(text: str, *, in_markup: bool = True) -> tuple[str, ...]:
    """The targets of all `@path` outside code spans, fences and HTML comments, as written.

    A path begins behind white space; `in_markup` also where bold text, a link or the like begins or ends.
    """
    if "@" not in text:
        return ()
    is_parsed = in_markup and len(text) <= _LONG_TEXT
    # One kind of line end, so that the split into paragraphs does not depend on the file's.
    unfenced = "\n".join(_LINES.sub("\n", text[start:end]) for start, end in prose(text))
    paragraphs = (each for each in _BREAK.split(_COMMENT.sub(" ", unfenced)) if "@" in each)
    pieces = (piece for paragraph in paragraphs for piece in _pieces(paragraph, is_parsed))
    written = (match[1] for piece in pieces for match in _IMPORT.finditer(piece))
    targets = (target.replace("\\ ", " ").partition("#")[0] for target in written)
    return tuple(dict.fromkeys(filter(None, targets)))


def _pieces(paragraph: str, is_parsed: bool) -> Iterable[str]:
    """The text of a paragraph without its code, in pieces between its other markup."""
    is_short = len(paragraph) <= _LONG_PARAGRAPH and paragraph.count("[") <= _MANY_BRACKETS
    without_code = _SPAN.sub("`", paragraph)
    if is_parsed and is_short and _MARKED.search(paragraph) and not _is_all_code(without_code):
        return inline_texts(paragraph)
    return (without_code,)


def _is_all_code(without_code: str) -> bool:
    """Whether every `@` of a paragraph is surely in its code, as of most that have one in markup: `@app.route`.

    Only escapes, HTML and the targets of links can make the parser see another code than the pattern.
    """
    return not any(sign in without_code for sign in ("@", "\\", "<", "]("))


def follow(
    path: str, hops: int, mentioned: Mentioned, known: Container[str], again: bool = False
) -> Iterator[Import]:
    """The imports of a file in reading order.

    Each reached path appears once, despite any cycles; with `again`, it appears at every mention that does
    not lie within an import of itself, until `MAX_IMPORTS` are reached. Targets are relative to the importing
    file. Only known paths count, so nothing outside the project does.
    """
    return (_each if again else _once)(path, hops, mentioned, known)


def unmet(path: str, text: str, targets: Iterable[str], known: Container[str]) -> Iterator[Unmet]:
    """The targets of a file that look like files but do not exist, or lie outside the project."""
    for target in targets:
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
    """The target of an import; `""` if it is outside the project."""
    if is_at_home(path) and is_at_home(target):
        return posixpath.normpath(target)
    if target.startswith(("/", "~")):
        return ""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return "" if place.split("/")[0] == ".." else place
