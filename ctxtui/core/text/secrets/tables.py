"""Credentials in tables: columns of Markdown and CSV, and the data of Kubernetes Secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from functools import cache
from typing import Final

from ctxtui.core.text.secrets.named import value_at
from ctxtui.core.text.secrets.plausible import Strength, strength
from ctxtui.core.text.secrets.secret import Secret

KIND: Final = re.compile(r"""^kind:[ \t]*["']?Secret["']?[ \t]*\r?$""", re.MULTILINE)
# The start or end of a document: a line of YAML, or the fence around it.
_EDGE: Final = re.compile(r"^(?:---|```|~~~)", re.MULTILINE)
_DATA: Final = re.compile(r"^(?:data|stringData):[ \t]*\r?\n((?:[ \t]+\S[^\n]*+\n?|[ \t]*\r?\n)*+)", re.MULTILINE)
_ENTRY: Final = re.compile(r"""^[ \t]+["']?[\w.-]{1,100}["']?:[ \t]+(?=[^\s|>&*!#])""", re.MULTILINE)
# The base64 of "-----BEGIN CERT".
_CERTIFICATE: Final = "LS0tLS1CRUdJTiBDRVJU"

_RULE: Final = re.compile(r"[ \t>]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?[ \t]*)?")
_TELLING: Final = re.compile(
    r"\b(?:pass(?:word|wd|wort|phrase|code)?|pwd|pw|psk|(?:api|access|secret|private|license)[ _-]?keys?|tokens?"
    r"|secrets?)\b[ *`_]*\Z",
    re.IGNORECASE,
)
_CELL: Final = (
    r"""["']?(?P<name>(?:[A-Za-z]{1,20}[ _-])?(?:pass(?:word|wd|phrase|code)|pwd"""
    r"""|(?:api|access|secret|private)[ _-]?key|token|secret))["']?"""
)
# A heading that is a whole cell.
HEADING: Final = re.compile(rf"(?im)(?:^|(?<=[,;\t])){_CELL}(?=[,;\t\r\n])")
_SEPARATORS: Final = (",", ";", "\t")
_PLAIN_CELL: Final = re.compile(r"""[ ]?["']?[A-Za-z][\w .-]{0,40}["']?""")
_DASHES: Final = (b"--|", b"-- |", b"-:|")
_LEAST_ODD: Final = 8
_MOST_ODD: Final = 40
_KINDS: Final = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9!?*+%&$#@^~=;]"))
_MARKS: Final = " \t*`_\"'"


def find_in_manifests(text: str) -> Iterator[Secret]:
    """The values below `data:` and `stringData:` that look like credentials."""
    stop = 0
    for kind in KIND.finditer(text) if "kind:" in text else ():
        if kind.start() < stop:
            continue
        start = max((edge.end() for edge in _EDGE.finditer(text, stop, kind.start())), default=stop)
        edge = _EDGE.search(text, kind.end())
        stop = edge.start() if edge else len(text)
        for block in _DATA.finditer(text, start, stop):
            for entry in _ENTRY.finditer(text, *block.span(1)):
                value = value_at(text, entry.end())
                if value and strength(value.text) >= Strength.PASSWORD and not value.text.startswith(_CERTIFICATE):
                    yield Secret("secret", value.start, value.end)


def find_in_tables(text: str, lowered: bytes) -> Iterator[Secret]:
    """The cells that look like credentials under headings such as `Password`.

    `lowered` is the text in lower case, one byte per character.
    """
    for dashes in _DASHES if b"|" in lowered else ():
        at = lowered.find(dashes)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, _end(text, at)
            if _RULE.fullmatch(text[start:end].rstrip()):
                heading = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
                columns = {at: _needed(cell) for at, cell in enumerate(heading.split("|")) if _TELLING.search(cell)}
                if columns:
                    end = yield from _rows(text, end + 1, columns)
            at = lowered.find(dashes, end)


def find_in_csv(text: str) -> Iterator[Secret]:
    """The cells that look like credentials below such a heading in CSV, or in a piece of it."""
    if not any_heading()(text.encode("utf-8", "surrogatepass")):
        return
    end = 0
    for match in HEADING.finditer(text):
        start = text.rfind("\n", 0, match.start("name")) + 1
        if start < end:
            continue
        end = _end(text, start)
        line = text[start:end].rstrip("\r")
        sign = next((sign for sign in _SEPARATORS if sign in line), None)
        if sign is None or not all(_PLAIN_CELL.fullmatch(cell) for cell in line.split(sign)):
            continue
        cells = line.split(sign)
        columns = {
            at: _needed(cell)
            for at, cell in enumerate(cells)
            if _TELLING.search(cell.strip(_MARKS).replace("_", " "))
        }
        end = yield from _rows(text, end + 1, columns, sign, len(cells) - 1)


@cache
def any_heading() -> Callable[[bytes], object]:
    """The search for a heading in one pass: 13 MB take 0.03 s instead of 0.22 s by `re`."""
    import re2  # noqa: PLC0415 - built once

    search: Callable[[bytes], object] = re2.compile(rf"(?im)(?:^|[,;\t]){_CELL}[,;\t\r\n]".encode()).search
    return search


def _end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _rows(
    text: str, start: int, columns: dict[int, Strength], sign: str = "|", count: int = 0
) -> Generator[Secret, None, int]:
    """The secrets in the rows from `start` on. Each has `count` separators, or any. Returns the end of the rows."""
    while start < len(text):
        end = _end(text, start)
        line = text[start:end].rstrip("\r")
        if sign not in line or (count and line.count(sign) != count):
            break
        yield from _cells(line, start, columns, sign)
        start = end + 1
    return start


def _needed(heading: str) -> Strength:
    # A column named "token" may list colors or words.
    return Strength.PASSWORD if "p" in heading.lower() else Strength.RANDOM


def _is_odd(value: str) -> bool:
    """Whether a cell is too mixed for words and too unbalanced for code."""
    if not _LEAST_ODD <= len(value) <= _MOST_ODD:
        return False
    is_even = all(value.count(opening) == value.count(closing) for opening, closing in ("()", "[]", "{}", "<>"))
    return not is_even and all(kind.search(value) for kind in _KINDS)


def _cells(line: str, start: int, columns: dict[int, Strength], sign: str = "|") -> Iterator[Secret]:
    for at, cell in enumerate(line.split(sign)):
        value = cell.strip().strip(_MARKS)
        if at in columns and " " not in value and (strength(value) >= columns[at] or _is_odd(value)):
            first = start + cell.index(value)
            yield Secret("password", first, first + len(value))
        start += len(cell) + 1
