"""Credentials in columns of Markdown tables with a telltale header."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Final

from ctxtui.core.secrets.plausible import Strength, strength
from ctxtui.core.secrets.secret import Secret

_RULE: Final = re.compile(r"[ \t>]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?[ \t]*)?")
TELLING: Final = re.compile(
    r"\b(?:pass(?:word|wd|wort|phrase|code)?|pwd|pw|psk|(?:api|access|secret|private|license)[ _-]?keys?|tokens?"
    r"|secrets?)\b[ *`_]*\Z",
    re.IGNORECASE,
)
_DASHES: Final = (b"--|", b"-- |", b"-:|")
_MARKS: Final = " \t*`_\"'"


def find_in_tables(text: str, lowered: bytes) -> Iterator[Secret]:
    """The cells that look like credentials under headings such as `Password`.

    `lowered` is the text with a small byte for each character.
    """
    for dashes in _DASHES if b"|" in lowered else ():
        at = lowered.find(dashes)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, _end(text, at)
            if _RULE.fullmatch(text[start:end].rstrip()):
                heading = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
                columns = {at: _needed(cell) for at, cell in enumerate(heading.split("|")) if TELLING.search(cell)}
                if columns:
                    end = yield from _rows(text, end + 1, columns)
            at = lowered.find(dashes, end)


def _end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _rows(text: str, start: int, columns: dict[int, Strength]) -> Generator[Secret, None, int]:
    """The secrets in the rows from `start` on; returns their end."""
    while start < len(text):
        end = _end(text, start)
        if "|" not in text[start:end]:
            break
        yield from _cells(text[start:end], start, columns)
        start = end + 1
    return start


def _needed(heading: str) -> Strength:
    # A column of tokens may be one of colors or of words.
    return Strength.PASSWORD if "p" in heading.lower() else Strength.RANDOM


def _cells(line: str, start: int, columns: dict[int, Strength]) -> Iterator[Secret]:
    for at, cell in enumerate(line.split("|")):
        value = cell.strip().strip(_MARKS)
        if at in columns and " " not in value and strength(value) >= columns[at]:
            first = start + cell.index(value)
            yield Secret("password", first, first + len(value))
        start += len(cell) + 1
