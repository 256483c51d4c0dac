"""Folder trees drawn in code fences, with lines such as `├── src/` or by indentation, and their missing paths."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.text.words import FOREIGN_HEDGES, FOREIGN_MAKING, says
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.text.metadata.reference import Reference

_BRANCH: Final = re.compile(r"([ \t\u00a0│┃|]*)(?:[├└┣┗╰][─━]{1,3}|[|`+]--)[ \t\u00a0]*(\S.*)")
_INDENTED: Final = re.compile(r"([ \t]*)(\S.*)")
_FOLDER: Final = re.compile(r"[^#]*/[ \t]*(?:#|$)")
_FENCE: Final = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:`{3,}|~{3,})[ \t]*([\w+-]*)")
_TEXTS: Final = frozenset(("", "text", "txt", "plaintext", "tree", "bash", "sh", "shell"))
_ROOT: Final = re.compile(r"[ \t]*((?:\./)?[\w@.-]+(?:/[\w@.-]+)*/?)(?:[ \t]+(?:#|//|←|<-|\().*)?[ \t]*")
# A picture before a name, such as that of a folder.
_ICON: Final = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]+")
# A name, and the remark behind it. Another word directly behind a name makes it unclear.
_NAME: Final = re.compile(
    r"((?:\./)?[\w@.()\[\]+-]*[\w\])](?:/[\w@.()\[\]+-]+)*/?)(?:[ \t]*$|[ \t]{2,}.*|[ \t]+[^\w \t,&+].*)"
)
# The root of a drawing for any of several folders, and a name that stands for any.
_HOLES: Final = re.compile(r"[<{*\[]")
_ANY: Final = re.compile(r"[ \t./]*[a-z]+[-_]name/")
_TEMPLATE: Final = "\0"
# A drawing is one of this project if so many of its paths, and such a share of them, exist.
_LEAST: Final = 5
_SHARE: Final = 0.7
_MOST: Final = 20
# The first entries of a drawing, by which its root is found: many folders of a project may be the root.
_JUDGED: Final = 200
# Placeholders such as `[lang]`, two files such as `a.h/.cpp`, and several such as `v1-v3`.
_SEVERAL: Final = re.compile(r"\[|/\.|\d-[a-z]+\d")
_DIGITS: Final = re.compile(r"\d+")
_OTHERWISE: Final = says(
    r"plan|future|todo|\btbd\b|phase|optional|generated|creates?\b|created|ignored|example|template|\bnew\b|your|will|"
    r"would|later|coming|propos|suggest|should|recommend|\bif\b|e\.g\.|placeholder|output|build|\bauto|target|migrat|milestone"
    r"|remov|delet|expected"
    rf"|\bM\d\b|missing|n['’]t exist|\balways\b|\bnot\b|no longer|legacy|\bold\b|{FOREIGN_HEDGES}|{FOREIGN_MAKING}",
)


class Branch(NamedTuple):
    """An entry of a drawing: its line, from 1, its path below the root of the drawing, and the whole line."""

    line: int
    path: str
    is_folder: bool
    written: str


class Drawing(NamedTuple):
    """A drawn tree: the name of its root, empty without one, its entries, and the heading and line above it."""

    root: str
    branches: tuple[Branch, ...]
    intro: str


def missing_in_drawings(audited: Audited, folders: frozenset[str]) -> Iterator[tuple[Finding, str]]:
    """Findings about the topmost missing paths in drawings of this project, each with the path from the root.

    `folders` are all folders of the project.
    """
    for reference in audited.instructions():
        for drawing in drawings(audited.text(reference.path) or ""):
            if not _OTHERWISE(drawing.intro):
                yield from _missing(audited, reference, drawing, folders)


def _missing(
    audited: Audited, reference: Reference, drawing: Drawing, folders: frozenset[str]
) -> Iterator[tuple[Finding, str]]:
    """The findings of one drawing. None if so few of its paths exist that it may show another project."""
    base = _drawn_folder(audited, reference, drawing, folders)
    known = _existing_paths(audited, drawing.branches, base)
    if len(known) < max(_LEAST, _SHARE * len(drawing.branches)):
        return
    # A root of another name stands for each of several folders.
    is_any = base != "" and posixpath.basename(posixpath.normpath(drawing.root or base)) != posixpath.basename(base)
    beside = [each for each in folders if posixpath.dirname(each) == posixpath.dirname(base)] if is_any else []
    alike = sorted(beside)[:_MOST]
    gone = ""
    forms = Counter(_DIGITS.sub("", branch.path) for branch in drawing.branches if branch.path not in known)
    for branch in drawing.branches:
        place = posixpath.normpath(posixpath.join(base, branch.path))
        if branch.path in known or (gone and branch.path.startswith(gone)):
            continue
        gone = f"{branch.path}/"
        # An entry that clearly stands for one path has a dot or is a folder.
        is_clear = not _SEVERAL.search(branch.path) and (branch.is_folder or "." in posixpath.basename(branch.path))
        # Numbered names stand for any number.
        is_open = (
            not is_clear
            or forms[_DIGITS.sub("", branch.path)] > 1
            or _OTHERWISE(branch.written)
            or audited.is_made_later(place)
            or any(audited.exists(posixpath.join(each, branch.path)) for each in alike)
        )
        if not is_open:
            yield _finding(audited, reference, branch, base), place


def _drawn_folder(audited: Audited, reference: Reference, drawing: Drawing, folders: frozenset[str]) -> str:
    """The folder that a drawing probably shows: the one in which most of its paths exist."""
    name = posixpath.normpath(drawing.root) if drawing.root else "."
    near = ["", *folders_above(reference.path)]
    bases = dict.fromkeys(near)
    if name != ".":
        bases |= dict.fromkeys(posixpath.normpath(posixpath.join(each, name)) for each in near)
        bases |= dict.fromkeys(sorted(each for each in folders if each.endswith(f"/{name}")))
    first = f"/{drawing.branches[0].path}"
    there = [*folders, *audited.by_name.get(posixpath.basename(first), ())]
    ends = (each.removesuffix(first) for each in sorted(there) if each.endswith(first))
    bases |= dict.fromkeys(islice(ends, _MOST))
    return max(bases, key=lambda base: len(_existing_paths(audited, drawing.branches[:_JUDGED], base)))


def _existing_paths(audited: Audited, branches: Sequence[Branch], base: str) -> frozenset[str]:
    places = {each.path: posixpath.normpath(posixpath.join(base, each.path)) for each in branches}
    return frozenset(path for path, place in places.items() if audited.exists(place))


def _finding(audited: Audited, reference: Reference, branch: Branch, base: str) -> Finding:
    path, drawn = reference.path, f"{branch.path}/" if branch.is_folder else branch.path
    same = [] if branch.is_folder else audited.by_name.get(posixpath.basename(drawn), [])
    moved = f"; {same[0]} does" if len(same) == 1 else ""
    there = f" in {base}/, where most of the drawing is" if base else ""
    message = f"draws `{drawn}`, which does not exist{there}{moved}"
    many = f"draws paths that do not exist{there}, such as `{drawn}`"
    evidence, remedy = "most other paths of the drawing exist", Remedy("draw the tree as it is, or leave it out")
    found = (message, path, branch.line, 0, evidence, None, drawn, remedy, "drawing", many)
    return Finding("missing-path", "info", *found)


def drawings(text: str) -> Iterator[Drawing]:
    """The drawn trees of a text. Entries with unclear names are left out with all below them."""
    heading = intro = language = ""
    block: list[str] | None = None
    for number, line in enumerate(split_lines(text), 1):
        fence = _FENCE.match(line)
        if fence and block is None:
            block, language = [], fence[1].lower()
        elif fence and block is not None:
            yield from _drawings_in_block(block, number - len(block), f"{heading} {intro}", language in _TEXTS)
            block = None
        elif block is not None:
            block.append(line)
        elif line.strip():
            heading, intro = (line, "") if line.startswith("#") else (heading, line)


def _drawings_in_block(block: Sequence[str], first: int, intro: str, is_text: bool) -> Iterator[Drawing]:
    """The drawings in a code fence whose block begins at line `first`. If `is_text`, indentation alone may draw."""
    is_drawn = any("──" in line or "|--" in line or "`--" in line for line in block)
    if not is_drawn and not (is_text and any(map(_FOLDER.match, block))):
        return
    pattern = _BRANCH if is_drawn else _INDENTED
    root = ""
    found: list[Branch] = []
    # The columns of the open folders with their paths, None for unclear ones.
    above: list[tuple[int, str | None]] = []
    for number, line in enumerate((_ICON.sub("", each, count=1) for each in block), first):
        branch = pattern.fullmatch(line)
        if branch is None:
            # A line behind a bar goes on with a remark.
            if line.strip() and not line.lstrip().startswith(("│", "|", "┃", "#")):
                yield from _drawing(root, found, intro)
                found, above, named = [], [], _ROOT.fullmatch(line)
                is_any = _ANY.match(line) or (not named and _HOLES.search(line))
                root = _TEMPLATE if is_any else named[1] if named else ""
            continue
        column = len(branch[1])
        while above and above[-1][0] >= column:
            above.pop()
        name = None if _ANY.match(branch[2]) else _NAME.fullmatch(branch[2])
        parent = above[-1][1] if above else ""
        path = None if name is None or parent is None else f"{parent}{name[1].removeprefix('./').rstrip('/')}"
        above.append((column, None if path is None else f"{path}/"))
        if path and name:
            found.append(Branch(number, path, name[1].endswith("/"), line))
    yield from _drawing(root, found, intro)


def _drawing(root: str, found: list[Branch], intro: str) -> Iterator[Drawing]:
    if found and root != _TEMPLATE:
        yield Drawing(root, tuple(found), intro)
