"""Tolerant readers of Markdown tables and lists outside fences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxtui.core.text.markdown.code_spans import find_code
from ctxtui.core.text.markdown.document import Document

_LONGEST = 20_000
_CELL_END = re.compile(r"\\.|(?<!`)(`++)(?!`).*?(?<!`)\1(?!`)|\|")
_RULE = frozenset(" \t|:-")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_BULLET = re.compile(r"\s{0,9}[-*+]\s+(?:\[[ xX]\]\s+)?(?:\*\*|__)([^*_]+?):?(?:\*\*|__):?\s*(.*)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table. `line` counts from 1 within the file."""

    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table below a heading. Every row is as wide as the header."""

    heading: str
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """A code span, with the text before and after it, up to its neighbors."""

    text: str
    before: str
    after: str


def read_tables(document: Document) -> list[Table]:
    tables: list[Table] = []
    lines = list(_lines(document))
    position = 0
    while position + 1 < len(lines):
        heading, _, text = lines[position]
        position += 1
        if "|" in text and _is_rule(lines[position][2].strip()):
            header = tuple(split_row(text))
            rows = tuple(_rows(lines, position + 1, len(header)))
            tables.append(Table(heading, header, rows))
            position += 1 + len(rows)
    return tables


def _is_rule(text: str) -> bool:
    return "|" in text and "-" in text and _RULE.issuperset(text)


def _rows(lines: Sequence[tuple[str, int, str]], position: int, width: int) -> Iterator[TableRow]:
    """The rows of a table from a position on, each of `width` cells."""
    while position < len(lines) and "|" in lines[position][2]:
        _, number, text = lines[position]
        yield TableRow(tuple((split_row(text) + [""] * width)[:width]), number)
        position += 1


def _lines(document: Document) -> Iterator[tuple[str, int, str]]:
    """The lines outside code: for each, its heading, its number in the file, from 1, and its text."""
    body, scan = document.body, document.scan
    offset = document.lines.at(document.body_start)
    headings = {heading.line: heading.name for heading in scan.headings}
    heading = ""
    for line in range(len(scan.lines.starts)):
        heading = headings.get(line, heading)
        text = body[scan.lines.start(line) : scan.lines.start(line + 1)].rstrip("\r\n")
        if line not in scan.code and len(text) < _LONGEST:
            yield heading, line + offset + 1, text


def split_row(line: str) -> list[str]:
    """The cells of a table's line. A bar in a code span or after a backslash ends none, `<br>` becomes a comma."""
    line = line.strip()
    cells, start = [], 0
    for match in _CELL_END.finditer(line):
        if match[0] == "|":
            cells.append(line[start : match.start()])
            start = match.end()
    cells.append(line[start:])
    if cells and not cells[0].strip() and line.startswith("|"):
        cells.pop(0)
    if cells and not cells[-1].strip() and line.endswith("|"):
        cells.pop()
    return [_BREAK.sub(" , ", cell).replace("\\|", "|").strip() for cell in cells]


def read_bullets(document: Document) -> list[tuple[str, TableRow]]:
    """List items with a bold name at the start: for each, its heading, and a row of its name and its text."""
    found = []
    for heading, number, text in _lines(document):
        if match := _BULLET.fullmatch(text):
            found.append((heading, TableRow((match[1].strip(), match[2].strip()), number)))
    return found


def code_spans(text: str) -> list[CodeSpan]:
    found = list(find_code(text))
    ends = [0, *(closing[1] for _, closing in found)]
    starts = [*(opening[0] for opening, _ in found[1:]), len(text)]
    return [
        CodeSpan(text[opening[1] : closing[0]].strip(), text[before : opening[0]], text[closing[1] : after])
        for (opening, closing), before, after in zip(found, ends, starts, strict=False)
    ]


def plain_cell(cell: str) -> str:
    """A cell's text without emphasis, code marks and links."""
    text = _LINK.sub(r"\1", cell).replace(" , ", ", ")
    return " ".join(re.sub(r"[*`]+", "", text).split())
