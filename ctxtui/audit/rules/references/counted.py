"""Numbers that are wrong: of the rows or items below a heading, and of the lines of a file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from ctxtui.agents.measure import size_of
from ctxtui.audit.context import Audited
from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.text.metadata.reference import Reference

_WORDS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER: Final = rf"([1-9]\d?|{'|'.join(_WORDS)})"
_THINGS: Final = r"(?:[A-Za-z][\w-]*[ ]){0,3}[A-Za-z][\w-]*s"
_HEADING: Final = re.compile(rf"(#{{1,6}})[ ](?:the[ ])?{_NUMBER}[ ]{_THINGS}", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"\s*(#{1,6})[ ](\d{1,2})[ .)]")
_ITEM: Final = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s")
_LINES: Final = re.compile(r"`([\w./@-]+\.\w+)`[*_]* \(~?(\d{2,3}|\d[\d,]{3,6}) (?:lines|LOC)\b")
_TOLERANCE: Final = 0.1
# Larger differences come from tables that show some of the things.
_MOST: Final = 3


def miscounted(audited: Audited) -> Iterator[Finding]:
    """Headings such as `Five rules` over another number of rows or items, and wrong numbers of lines of files.

    Numbers that differ by more than three are no mistake, because the list may show some of the things.
    """
    for reference in audited.instructions():
        yield from _wrong_lengths(audited, reference)
        lines = split_lines(outside_code(audited.text(reference.path) or ""))
        numbered = {(each[1], int(each[2])) for each in map(_NUMBERED.match, lines) if each}
        for number, line in enumerate(lines, 1):
            found = _HEADING.fullmatch(line.strip())
            kind, count = _block_below(lines[number:]) if found else ("", 0)
            if found and kind:
                level, word = found[1], found[2].lower()
                said = _WORDS.index(word) + 2 if word in _WORDS else int(word)
                # Of headings in order, the number is that of the heading.
                is_in_order = word.isdigit() and not numbered.isdisjoint(((level, said - 1), (level, said + 1)))
                is_off = said != count and said > 1 and count > 1 and abs(said - count) <= _MOST
                if is_off and not is_in_order:
                    yield _finding(reference.path, number, line.strip("# "), kind, count)


def _wrong_lengths(audited: Audited, reference: Reference) -> Iterator[Finding]:
    """Findings about files whose number of lines, as a text states it, is wrong by more than a tenth."""
    path = reference.path
    for number, line in enumerate(split_lines(outside_code(audited.text(path) or "")), 1):
        for match in _LINES.finditer(line):
            places = (match[1].lstrip("/"), posixpath.join(posixpath.dirname(path), match[1]))
            place = next((each for each in places if each in audited.listed), None)
            said, text = int(match[2].replace(",", "")), audited.text(place) if place else None
            count = (size_of(text, "lines") or 0) if text else said
            if abs(said - count) > max(count, said) * _TOLERANCE:
                message = f"says that {place} has {said:,} lines, but it has {count:,}"
                many, remedy = "says wrong numbers of lines for {subjects} files", Remedy("remove the number")
                more = ("counted the lines", None, match[1], remedy, f"{path}: lines", many)
                yield Finding("conflicting-text", "info", message, path, number, 0, *more)


def _block_below(lines: Sequence[str]) -> tuple[str, int]:
    """The kind of block that the lines begin with, `rows` or `items`, and its size. Empty and 0 for other text."""
    start = next((place for place, line in enumerate(lines) if line.strip()), 0)
    rows = sum(1 for _ in takewhile(lambda line: line.startswith("|"), lines[start:]))
    if rows:
        return "rows", rows - 2
    first = _ITEM.match(lines[start]) if lines else None
    items = 0
    for line in lines[start:] if first else ():
        item = _ITEM.match(line)
        if first and item and item[1] == first[1]:
            items += 1
        elif line.strip() and first and len(line) - len(line.lstrip()) <= len(first[1]):
            break
    return "items" if items else "", items


def _finding(path: str, line: int, said: str, kind: str, count: int) -> Finding:
    what, remedy = "table" if kind == "rows" else "list", Remedy("correct the number, or complete the list")
    message, evidence = f"says “{said}”, but the {what} below has {count:,} {kind}", f"counted the {kind}"
    # Texts for several agents repeat it.
    found = (message, path, line, 0, evidence, None, said, remedy, f"{said}: {count}", message)
    return Finding("conflicting-text", "info", *found)
