"""The truncation ladder: what a text loses under a budget, least important first.

Whole, without comments, without done tasks and the oldest dated sections, a prefix that ends at a block
boundary, the heading outline, the header line alone. Every rung leaves the mark; fences are never cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate

from ctxtui.core.formats import full_line
from ctxtui.core.labels import DATE
from ctxtui.core.markdown import Heading, Scan, scan

MARK = "[truncated]\n"

_DONE = re.compile(r"^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+\[[xX]\](?=\s|$)")


def climb_down(
    body: str, markdown: bool, fits: Callable[[str], bool], structure: Scan | None = None, lean: bool = False
) -> str:
    """The first rung of the ladder that fits; the mark alone where none does, which may not fit either.

    `structure` is the body's scan where there is one already; its blocks say where a prefix may end. A `lean`
    prefix spends no room on comments and done tasks, which earlier rungs gave up.
    """
    if markdown:
        structure = structure or scan(body)
        for text in _whole_rungs(body, structure):
            if fits(text):
                return text
        boundaries = [structure.lines.start(block.start) for block in structure.blocks]
    else:
        structure = None
        boundaries = [match.end() for match in re.finditer(r"\n", body)]
    if structure is not None and lean:
        body, boundaries = _lean(body, structure)
    prefix = _longest_prefix(body, boundaries, fits)
    if prefix is not None:
        return prefix
    if structure is not None:
        outline = _outline(structure.headings)
        if outline and fits(outline):
            return outline
    return MARK


def _whole_rungs(body: str, structure: Scan) -> Iterator[str]:
    """The texts that lose whole comments, tasks and sections, each shorter than the one before."""
    lines = _lines(body)
    dropped = _comments(structure)
    if dropped:
        yield _without(lines, dropped)
    done = _done_tasks(lines, structure)
    if done - dropped:
        dropped |= done
        yield _without(lines, dropped)
    for start, end in _dated_sections(structure, len(lines)):
        dropped |= set(range(start, end))
        yield _without(lines, dropped)


def _comments(structure: Scan) -> set[int]:
    return {line for start, end in structure.comments for line in range(start, end)}


def _lean(body: str, structure: Scan) -> tuple[str, list[int]]:
    """The body without comments and done tasks, and the offsets where its blocks begin."""
    lines = _lines(body)
    dropped = _comments(structure) | _done_tasks(lines, structure)
    kept = ["" if number in dropped else line for number, line in enumerate(lines)]
    offsets = list(accumulate(map(len, kept), initial=0))
    return "".join(kept), [offsets[block.start] for block in structure.blocks]


def _lines(body: str) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", body)


def _without(lines: list[str], dropped: set[int]) -> str:
    kept = "".join(line for number, line in enumerate(lines) if number not in dropped)
    return full_line(kept) + MARK if kept.strip() else MARK


def _done_tasks(lines: list[str], structure: Scan) -> set[int]:
    """The lines of done check-boxes and of what is indented below them."""
    dropped: set[int] = set()
    indent: int | None = None
    for number, line in enumerate(lines):
        match = None if number in structure.code else _DONE.match(line)
        depth = len(line) - len(line.lstrip())
        if match and (indent is None or depth <= indent):
            indent = depth
            dropped.add(number)
        elif indent is not None and line.strip() and depth > indent:
            dropped.add(number)
        elif line.strip():
            indent = None
    return dropped


def _dated_sections(structure: Scan, size: int) -> list[tuple[int, int]]:
    """Line ranges of all sections with a date in their heading but the newest, oldest first."""
    dated = []
    headings = structure.headings
    for index, heading in enumerate(headings):
        match = DATE.search(heading.name)
        if match:
            later = (other.line for other in headings[index + 1 :] if other.level <= heading.level)
            dated.append((match[1], heading.line, next(later, size)))
    dated.sort()
    return [(start, end) for _, start, end in dated[:-1]]


def _longest_prefix(body: str, boundaries: list[int], fits: Callable[[str], bool]) -> str | None:
    candidates = [offset for offset in boundaries if offset and body[:offset].strip()]
    low, high = 0, len(candidates)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(full_line(body[: candidates[middle - 1]]) + MARK):
            low = middle
        else:
            high = middle - 1
    return full_line(body[: candidates[low - 1]]) + MARK if low else None


def _outline(headings: tuple[Heading, ...]) -> str:
    if not headings:
        return ""
    return "".join(f"{'#' * heading.level} {heading.name}\n" for heading in headings) + MARK
