"""`@path` imports: which files a text pulls in, and which those pull in themselves."""

import posixpath
import re
from collections.abc import Callable, Container, Iterator
from typing import NamedTuple

Read = Callable[[str], str | None]

_FENCE = re.compile(r"[ \t]*+(?:(?:[-*+]|\d++[.)])[ \t]++|>[ \t]*+)*+(`{3,}|~{3,})(.*)")
_SPAN = re.compile(r"(?<!`)(`++).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"^ {0,3}<!--(?:.*?-->|.*)", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
_BLANK = re.compile(r"\n[ \t]*+\n")
_LINES = re.compile(r"\r\n|\r|\n")


class Import(NamedTuple):
    """A file that an instruction file pulls in; `reached` is false beyond the agent's last hop."""

    path: str
    importer: str
    reached: bool


def mentions(text: str) -> tuple[str, ...]:
    """The targets of all `@path` outside code spans, fences and HTML comments, as written."""
    if "@" not in text:
        return ()
    prose = _COMMENT.sub(" ", _without_fences(text))
    paragraphs = (_SPAN.sub("`", paragraph) for paragraph in _BLANK.split(prose))
    written = (match[1] for paragraph in paragraphs for match in _IMPORT.finditer(paragraph))
    targets = (target.replace("\\ ", " ").partition("#")[0] for target in written)
    return tuple(dict.fromkeys(filter(None, targets)))


def follow(path: str, hops: int, read: Read, known: Container[str]) -> Iterator[Import]:
    """The imports of a file in reading order; each path that is reached comes once, whatever the cycles.

    Targets are relative to the importing file. Only known paths count, so nothing outside the project does.
    """
    seen = {path}
    todo = [(Import(path, "", True), 0)]
    while todo:
        current, depth = todo.pop()
        if depth:
            yield current
        if not current.reached:
            continue
        targets = dict.fromkeys(_targets(current.path, read, known))
        fresh = [target for target in targets if target not in seen]
        seen.update(fresh if depth < hops else ())
        todo += [(Import(target, current.path, depth < hops), depth + 1) for target in reversed(fresh)]


def _targets(path: str, read: Read, known: Container[str]) -> Iterator[str]:
    for target in mentions(read(path) or ""):
        if not target.startswith(("/", "~")):
            resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if resolved in known:
                yield resolved


def _without_fences(text: str) -> str:
    kept: list[str] = []
    fence = ""
    for line in _LINES.split(text):
        match = _FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
        else:
            kept.append(line)
    return "\n".join(kept)
