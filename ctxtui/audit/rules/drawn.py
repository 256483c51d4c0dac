"""Paths of a drawn folder tree that do not exist."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.audit.text.trees import Branch, Drawing, drawings
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.text.metadata.reference import Reference

# A drawing is one of this project if so many of its paths, and such a share of them, exist.
_LEAST: Final = 5
_SHARE: Final = 0.7
_MOST: Final = 20
# The first entries of a drawing, by which its root is found: many folders of a project may be the root.
_JUDGED: Final = 200
_OTHERWISE: Final = re.compile(
    r"plan|future|todo|\btbd\b|phase|optional|generat|creat|ignored|example|template|\bnew\b|your|will|would|later|"
    r"coming|propos|suggest|should|recommend|\bif\b|e\.g\.|placeholder|output|build|\bauto|target|migrat|不存在|存在しない"
    r"|missing|n['’]t exist|no longer|legacy|\bold\b",
    re.IGNORECASE,
)


def missing_in_drawings(audited: Audited, folders: frozenset[str]) -> Iterator[Finding]:
    """The topmost missing paths of drawings that otherwise show this project."""
    for reference in audited.instructions():
        for drawing in drawings(audited.text(reference.path) or ""):
            if not _OTHERWISE.search(drawing.intro):
                yield from _missing(audited, reference, drawing, folders)


def _missing(audited: Audited, reference: Reference, drawing: Drawing, folders: frozenset[str]) -> Iterator[Finding]:
    base = _base(audited, reference, drawing, folders)
    known = _known(audited, drawing.branches, base)
    if len(known) < max(_LEAST, _SHARE * len(drawing.branches)):
        return
    gone = ""
    for branch in drawing.branches:
        place = posixpath.normpath(posixpath.join(base, branch.path))
        if branch.path in known or (gone and branch.path.startswith(gone)):
            continue
        gone = f"{branch.path}/"
        is_open = not _is_clear(branch) or _OTHERWISE.search(branch.written) or audited.is_made_later(place)
        if not is_open:
            yield _finding(audited, reference, branch, base)


def _is_clear(branch: Branch) -> bool:
    """Whether a name is one path: no placeholder such as `[lang]`, no two files such as `a.h/.cpp`, no plain word."""
    name = posixpath.basename(branch.path)
    return "[" not in branch.path and "/." not in branch.path and (branch.is_folder or "." in name)


def _base(audited: Audited, reference: Reference, drawing: Drawing, folders: frozenset[str]) -> str:
    """The folder in which most paths of a drawing exist."""
    name = posixpath.normpath(drawing.root) if drawing.root else "."
    near = ["", *folders_above(reference.path)]
    bases = dict.fromkeys(near)
    if name != ".":
        bases |= dict.fromkeys(posixpath.normpath(posixpath.join(each, name)) for each in near)
        bases |= dict.fromkeys(sorted(each for each in folders if each.endswith(f"/{name}")))
    first = f"/{drawing.branches[0].path}"
    there = [*folders, *audited.by_name.get(posixpath.basename(first), ())]
    bases |= dict.fromkeys(
        islice((each.removesuffix(first) for each in sorted(there) if each.endswith(first)), _MOST)
    )
    return max(bases, key=lambda base: len(_known(audited, drawing.branches[:_JUDGED], base)))


def _known(audited: Audited, branches: Sequence[Branch], base: str) -> frozenset[str]:
    return frozenset(
        each.path for each in branches if audited.exists(posixpath.normpath(posixpath.join(base, each.path)))
    )


def _finding(audited: Audited, reference: Reference, branch: Branch, base: str) -> Finding:
    path, drawn = reference.path, f"{branch.path}/" if branch.is_folder else branch.path
    same = [] if branch.is_folder else audited.by_name.get(posixpath.basename(drawn), [])
    moved = f"; {same[0]} does" if len(same) == 1 else ""
    there = f" in {base}/, where most of the drawing is" if base else ""
    severity: Severity = "info" if audited.always_read.isdisjoint(reference.paths) else "warning"
    message = f"draws `{drawn}`, which does not exist{there}{moved}"
    many = f"draws {{count}} paths that do not exist{there}, such as `{drawn}`"
    evidence, remedy = "most other paths of the drawing exist", Remedy("draw the tree as it is, or leave it out")
    cause = f"{path}: drawing"
    return Finding(
        "missing-path", severity, message, path, branch.line, 0, evidence, None, drawn, remedy, cause, many
    )
