"""Workflows and hints of an index, from numbered lists and tables that name files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ctxtui.catalog.mentions import Resolver, mentions
from ctxtui.catalog.metadata import INDEX
from ctxtui.catalog.tables import Table, plain_cell, read_tables
from ctxtui.catalog.types import DetectionHint, WorkflowEntry
from ctxtui.core.markdown.document import Document
from ctxtui.core.notices import Notice, OnNotice

_ITEM = re.compile(r" {0,3}(\d{1,3})[.)][ \t]+(\S.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_NO_WORKFLOW = re.compile(r"\b(tips|best practices|maintenance|standards|notes|version)\b", re.IGNORECASE)
_LOADS = re.compile(r"\bload|^files?\b|files? to\b|\bcontext files?\b", re.IGNORECASE)
_SELDOM = re.compile(r"\b(rarely|never|seldom|optional)\b", re.IGNORECASE)


def read_workflows(document: Document, resolver: Resolver, on_notice: OnNotice) -> Iterator[WorkflowEntry]:
    """Sections with a numbered list that names files, even if the list is in a fence (method 2)."""
    own_index = f"{resolver.domain}/{INDEX}"
    for part in document.parts:
        if part.level < 2 or _NO_WORKFLOW.search(part.name):
            continue
        steps = _steps(document.own_text(part))
        found, lost = resolver.read("\n".join(steps))
        files = tuple(id_ for id_ in found if id_ != own_index)
        if steps and files:
            tell_lost(lost, document.path, part.line + 1, on_notice)
            yield WorkflowEntry(part.name, files, tuple(plain_cell(step) for step in steps))


def _steps(text: str) -> list[str]:
    """The items of the numbered lists of a text, with their continuation lines."""
    steps: list[str] = []
    open_item = False
    for line in text.splitlines():
        match = _ITEM.fullmatch(line.rstrip())
        if match:
            steps.append(match[2])
            open_item = True
        elif _FENCE.match(line) or (line.strip() and not line.startswith((" ", "\t"))):
            open_item = False
        elif line.strip() and open_item:
            steps[-1] += f" {line.strip()}"
    return steps


@dataclass(frozen=True, slots=True)
class HintRow:
    """A row that maps a pattern to files. `primary` are the files in the first file column."""

    hint: DetectionHint
    cell: str
    primary: tuple[str, ...]
    section: str


def read_hints(document: Document, resolver: Resolver, on_notice: OnNotice) -> list[HintRow]:
    """The rows of tables whose later columns name files to load, except columns of rarely used files."""
    return [
        row
        for table in read_tables(document)
        for columns in [_file_columns(table)]
        if columns
        for row in _hints(table, columns, resolver, document.path, on_notice)
    ]


def _file_columns(table: Table) -> list[int]:
    return [
        column
        for column, head in enumerate(table.header)
        if column and _LOADS.search(plain_cell(head)) and not _SELDOM.search(head) and _names_files(table, column)
    ]


def _names_files(table: Table, column: int) -> bool:
    return any(any(mentions(row.cells[column])) for row in table.rows)


def _hints(
    table: Table, columns: Sequence[int], resolver: Resolver, path: str, on_notice: OnNotice
) -> Iterator[HintRow]:
    for row in table.rows:
        read = [resolver.read(row.cells[column]) for column in columns]
        for _, lost in read:
            tell_lost(lost, path, row.line, on_notice)
        files = tuple(dict.fromkeys(id_ for found, _ in read for id_ in found))
        if files and row.cells[0]:
            hint = DetectionHint(plain_cell(row.cells[0]), files)
            yield HintRow(hint, row.cells[0], read[0][0], table.heading)


def tell_lost(lost: Iterable[str], path: str, line: int, on_notice: OnNotice) -> None:
    for mention in lost:
        on_notice(Notice("missing-target", f"{mention} is named here but does not exist", path, line))
