"""A domain's index: files with purposes, workflows and detection hints, from many layouts of `index.md`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from ctxtui.catalog.mentions import Resolver, mentions
from ctxtui.catalog.metadata import INDEX, Metadata, read_strategy
from ctxtui.catalog.tables import Table, plain_cell, read_tables
from ctxtui.catalog.types import DetectionHint, DomainIndex, FileEntry, WorkflowEntry
from ctxtui.core.base.batches import firsts
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.text.markdown.document import Document

_ITEM = re.compile(r" {0,3}(\d{1,3})[.)][ \t]+(\S.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_NO_WORKFLOW = re.compile(r"\b(tips|best practices|maintenance|standards|notes|version)\b", re.IGNORECASE)
_LOADS = re.compile(r"\bload|^files?\b|files? to\b|\bcontext files?\b", re.IGNORECASE)
_SELDOM = re.compile(r"\b(rarely|never|seldom|optional)\b", re.IGNORECASE)

# By preference: a file's purpose is more informative than when to load it.
_KEYS = ("purpose", "use for", "when to use", "when to load", "load when", "use when", "key topics", "best for")
_FIELD = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Za-z ]{3,20}?)(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(\S.*)")
_SKETCH = re.compile(
    r"^[ \t│|]*[├└+`][─-]*[ \t]*([\w.-]+\.md)\b[ \t]*(?:\([^()\n]{0,80}\)[ \t]*)?[#:–—-][ \t]*(\S.*)$", re.MULTILINE
)
_SENTENCE = re.compile(r"[^#>|*`\-\s].{8,}")


def read_workflows(document: Document, resolver: Resolver, on_notice: OnNotice) -> Iterator[WorkflowEntry]:
    """Sections with a numbered list that names files, even if the list is in a fence (method 2)."""
    own_index = f"{resolver.domain}/{INDEX}"
    for part in document.parts:
        if part.level < 2 or _NO_WORKFLOW.search(part.name):
            continue
        steps = _steps(document.own_text(part))
        found, missing = resolver.resolve_all("\n".join(steps))
        files = tuple(id_ for id_ in found if id_ != own_index)
        if steps and files:
            report_missing(missing, document.path, part.line + 1, on_notice)
            yield WorkflowEntry(part.name, files, tuple(plain_cell(step) for step in steps))


def _steps(text: str) -> list[str]:
    """The items of numbered lists in a text, each with its indented continuation lines."""
    steps: list[str] = []
    open_item = False
    for line in text.splitlines():
        if match := _ITEM.fullmatch(line.rstrip()):
            steps.append(match[2])
            open_item = True
        elif _FENCE.match(line) or (line.strip() and not line.startswith((" ", "\t"))):
            open_item = False
        elif line.strip() and open_item:
            steps[-1] += f" {line.strip()}"
    return steps


@dataclass(frozen=True, slots=True)
class HintRow:
    """A row that maps a pattern to files. `primary` are from the first file column."""

    hint: DetectionHint
    cell: str
    primary: tuple[str, ...]


def read_hints(document: Document, resolver: Resolver, on_notice: OnNotice) -> list[HintRow]:
    """The rows of tables whose later columns name files to load, except columns of rarely used files."""
    return [row for table in read_tables(document) for row in _hints(table, resolver, document.path, on_notice)]


def _hints(table: Table, resolver: Resolver, path: str, on_notice: OnNotice) -> Iterator[HintRow]:
    """The hint rows of one table. A mentioned file that does not exist is a notice."""
    columns = [
        column
        for column, head in enumerate(table.header)
        if column and _LOADS.search(plain_cell(head)) and not _SELDOM.search(head)
        if any(any(mentions(row.cells[column])) for row in table.rows)
    ]
    for row in table.rows:
        read = [resolver.resolve_all(row.cells[column]) for column in columns]
        for _, missing in read:
            report_missing(missing, path, row.line, on_notice)
        files = tuple(dict.fromkeys(id_ for found, _ in read for id_ in found))
        if files and row.cells[0]:
            yield HintRow(DetectionHint(plain_cell(row.cells[0]), files), row.cells[0], read[0][0])


def report_missing(missing: Iterable[str], path: str, line: int, on_notice: OnNotice) -> None:
    for mention in missing:
        on_notice(Notice("missing-target", f"{mention} is named here but does not exist", path, line))


@dataclass(frozen=True, slots=True)
class Listed:
    """The type and loading strategy that an index declares for a file, None for an absent or unknown value."""

    type: str | None
    strategy: str | None


def listed_files(index: Metadata | None) -> dict[str, Listed]:
    """The files in an index's metadata, by name. Entries without a name are skipped."""
    value = index.values.get("indexedFiles") if index else None
    found = {}
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, dict):
            continue
        place = item.get("path") or item.get("id")
        if isinstance(place, str) and place.strip():
            name = _file_name(place.rstrip("/"))
            kind = item.get("type")
            strategy = read_strategy(item.get("loadingStrategy"))
            found[name] = Listed(kind if isinstance(kind, str) else None, strategy)
    return found


def read_index(
    domain: str,
    files: Mapping[str, Metadata],
    documents: tuple[Document | None, Document | None],
    resolver: Resolver,
    on_notice: OnNotice,
) -> DomainIndex:
    """Read a domain's index (catalog specification 2), with purposes from its `index.md` and the catalog's index.

    `documents` are these two. Files that are not listed are added. A listed file that does not exist is a notice.
    """
    index, top = documents
    listed = listed_files(files.get(INDEX))
    path = index.path if index else f"{domain}/index.md"
    for name in listed:
        if name not in files:
            on_notice(Notice("missing-target", f"the index lists {name}.md, which does not exist", path))
    order = [name for name in listed if name in files] + [name for name in files if name not in listed]
    purposes = _purposes(index, top, domain)
    entries = tuple(_entry(files[name], listed.get(name), purposes) for name in order if name != INDEX)
    if index is None:
        return DomainIndex(domain, entries)
    return DomainIndex(
        domain,
        entries,
        tuple(read_workflows(index, resolver, on_notice)),
        tuple(row.hint for row in read_hints(index, resolver, on_notice)),
    )


def _entry(metadata: Metadata, listed: Listed | None, purposes: Mapping[str, str]) -> FileEntry:
    """A file of the index. The index's own type and strategy come before the file's metadata."""
    reference, file = metadata.reference, metadata.file
    return FileEntry(
        id=reference.id,
        path=file.path,
        type=(listed and listed.type) or reference.type,
        loading_strategy=(listed and listed.strategy) or reference.loading_strategy,
        purpose=purposes.get(file.name) or reference.title,
    )


def _purposes(index: Document | None, top: Document | None, domain: str) -> dict[str, str]:
    """The purpose of each file, by name, from the domain's `index`, else from the catalog's index `top`."""
    purposes = (
        [_heading_purposes(index), *map(_table_purposes, read_tables(index)), _tree_purposes(index)] if index else []
    )
    purposes += [_catalog_purposes(top, domain)] if top else []
    return firsts(chain.from_iterable(purposes))


def _heading_purposes(document: Document) -> Iterator[tuple[str, str]]:
    """Names and purposes of files, from headings with `x.md` and `**Purpose**: …` below them."""
    for part in document.parts:
        names = list(mentions(part.name)) if part.level else []
        if len(names) == 1 and (text := _block_purpose(document.own_text(part).partition("\n")[2])):
            yield _file_name(names[0]), text


def _block_purpose(block: str) -> str | None:
    """The purpose in the text below a heading: its best field, or without fields its first sentence, else None."""
    found = (_FIELD.fullmatch(line.rstrip()) for line in block.splitlines())
    fields = firsts((match[1].strip().lower(), plain_cell(match[2])) for match in found if match)
    if best := next((fields[key] for key in _KEYS if key in fields), None):
        return best
    first = next((line.strip() for line in block.splitlines() if line.strip()), "")
    return plain_cell(first) if not fields and _SENTENCE.fullmatch(first) else None


def _table_purposes(table: Table) -> Iterator[tuple[str, str]]:
    """Names and purposes of files, from rows whose first cell names one file."""
    heads = [head.lower() for head in map(plain_cell, table.header)]
    column = next((heads.index(key) for key in (*_KEYS, "description", "used by") if key in heads), None)
    for row in table.rows if column else ():
        names = list(mentions(row.cells[0]))
        if len(names) == 1 and row.cells[column or 0]:
            yield _file_name(names[0]), plain_cell(row.cells[column or 0])


def _tree_purposes(document: Document) -> Iterator[tuple[str, str]]:
    """Names and purposes of files, from trees in a fence: `├── x.md  - purpose`."""
    for match in _SKETCH.finditer(document.body):
        yield _file_name(match[1]), match[2].strip()


def _catalog_purposes(document: Document, domain: str) -> Iterator[tuple[str, str]]:
    """Names and purposes of files, from the catalog's own index: the tables below a heading that names the domain."""
    for table in read_tables(document):
        if f"({domain}/)" in table.heading.replace(" ", "") or table.heading.strip("/ ").lower() == domain.lower():
            yield from _table_purposes(table)


def _file_name(mention: str) -> str:
    return mention.rpartition("/")[2].removesuffix(".md")
