"""Stretches of a file between two comments that mark where a tool writes: `<!-- x start -->` to `<!-- x end -->`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ctxtui.audit.text.facts import split_lines

_MARK = re.compile(r"\s*<!--\s*(.{1,200}?)\s*-->\s*")
_OPENING = re.compile(r"\b(?:start|begin)(?:s|ning)?\b", re.IGNORECASE)
_CLOSING = re.compile(r"\b(?:end|stop)s?\b|^/", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")


def tool_blocks(text: str) -> Iterator[range]:
    """The lines of each block, from 1, without its marks."""
    opened: dict[str, int] = {}
    for number, line in enumerate(split_lines(text), 1):
        mark = _MARK.fullmatch(line)
        if mark is None:
            continue
        if _CLOSING.search(mark[1]):
            begin = opened.pop(_name(_CLOSING, mark[1]), None)
            if begin is not None:
                yield range(begin + 1, number)
        else:
            opened[_name(_OPENING, mark[1])] = number


def are_within(lines: Iterable[tuple[int, int]], text: str) -> bool:
    """Whether lines of a text, each time the first and the last, are all in such blocks or are their marks."""
    blocks = list(tool_blocks(text))
    return all(any(first >= block.start - 1 and last <= block.stop for block in blocks) for first, last in lines)


def _name(sign: re.Pattern[str], mark: str) -> str:
    """The words of a mark without the one that says whether it opens or closes, and without a version."""
    return _SIGNS.sub(" ", re.sub(r"\bv?\d[\w.]*", "", sign.sub("", mark, count=1))).strip().casefold()
