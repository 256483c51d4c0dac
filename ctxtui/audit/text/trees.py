"""Folder trees drawn in code fences, with lines such as `├── src/` or by indentation alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ctxtui.audit.text.facts import split_lines

_BRANCH: Final = re.compile(r"([ \t\u00a0│┃|]*)(?:[├└┣┗╰][─━]{1,3}|[|`+]--)[ \t\u00a0]*(\S.*)")
_INDENTED: Final = re.compile(r"([ \t]*)(\S.*)")
_FOLDER: Final = re.compile(r"[^#]*/[ \t]*(?:#|$)")
_FENCE: Final = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:`{3,}|~{3,})[ \t]*([\w+-]*)")
_TEXTS: Final = frozenset(("", "text", "txt", "plaintext", "tree", "bash", "sh", "shell"))
_ROOT: Final = re.compile(r"[ \t]*((?:\./)?[\w@.-]+(?:/[\w@.-]+)*/?)(?:[ \t]+(?:#|//|←|<-|\().*)?[ \t]*")
# A name, and the remark behind it. Another word directly behind a name makes it unclear.
_NAME: Final = re.compile(
    r"((?:\./)?[\w@.()\[\]+-]*[\w\])](?:/[\w@.()\[\]+-]+)*/?)(?:[ \t]*$|[ \t]{2,}.*|[ \t]+[^\w \t,&+].*)"
)
# The root of a drawing for any of several folders.
_HOLES: Final = re.compile(r"[<{*\[]")
_TEMPLATE: Final = "\0"


class Branch(NamedTuple):
    """An entry of a drawing: its line, from 1, its path below the root of the drawing, and the whole line."""

    line: int
    path: str
    is_folder: bool
    written: str


class Drawing(NamedTuple):
    """A drawn tree: the name of its root, empty without one, its entries, and the text that leads to it."""

    root: str
    branches: tuple[Branch, ...]
    intro: str


def drawings(text: str) -> Iterator[Drawing]:
    """The drawn trees of a text. Entries with unclear names are left out with all below them."""
    heading = intro = language = ""
    block: list[str] | None = None
    for number, line in enumerate(split_lines(text), 1):
        fence = _FENCE.match(line)
        if fence and block is None:
            block, language = [], fence[1].lower()
        elif fence and block is not None:
            yield from _in_block(block, number - len(block), f"{heading} {intro}", language in _TEXTS)
            block = None
        elif block is not None:
            block.append(line)
        elif line.strip():
            heading, intro = (line, "") if line.startswith("#") else (heading, line)


def _in_block(block: Sequence[str], first: int, intro: str, is_text: bool) -> Iterator[Drawing]:
    """The drawings of a fence. Only in plain text, indentation alone may draw a tree."""
    is_drawn = any("──" in line or "|--" in line or "`--" in line for line in block)
    if not is_drawn and not (is_text and any(map(_FOLDER.match, block))):
        return
    pattern = _BRANCH if is_drawn else _INDENTED
    root = ""
    found: list[Branch] = []
    # The columns of the open folders with their paths, None for unclear ones.
    above: list[tuple[int, str | None]] = []
    for number, line in enumerate(block, first):
        branch = pattern.fullmatch(line)
        if branch is None:
            # A line behind a bar goes on with a remark.
            if line.strip() and not line.lstrip().startswith(("│", "|", "┃", "#")):
                yield from _drawing(root, found, intro)
                found, above, named = [], [], _ROOT.fullmatch(line)
                root = named[1] if named else _TEMPLATE if _HOLES.search(line) else ""
            continue
        column = len(branch[1])
        while above and above[-1][0] >= column:
            above.pop()
        name = _NAME.fullmatch(branch[2])
        parent = above[-1][1] if above else ""
        path = None if name is None or parent is None else f"{parent}{name[1].removeprefix('./').rstrip('/')}"
        above.append((column, None if path is None else f"{path}/"))
        if path and name:
            found.append(Branch(number, path, name[1].endswith("/"), line))
    yield from _drawing(root, found, intro)


def _drawing(root: str, found: list[Branch], intro: str) -> Iterator[Drawing]:
    if found and root != _TEMPLATE:
        yield Drawing(root, tuple(found), intro)
