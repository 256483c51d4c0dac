"""A domain's index: its files with their purposes, from many layouts of `index.md`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ctxtui.catalog.mentions import Resolver, mentions
from ctxtui.catalog.metadata import INDEX, Metadata, read_strategy
from ctxtui.catalog.tables import Table, plain_cell, read_tables
from ctxtui.catalog.types import DomainIndex, FileEntry
from ctxtui.catalog.workflows import read_hints, read_workflows
from ctxtui.core.markdown.document import Document
from ctxtui.core.notices import Notice, OnNotice

# By preference: a file's purpose is more informative than when to load it.
_KEYS = ("purpose", "use for", "when to use", "when to load", "load when", "use when", "key topics", "best for")
_FIELD = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Za-z ]{3,20}?)(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(\S.*)")
_SKETCH = re.compile(
    r"^[ \t│|]*[├└+`][─-]*[ \t]*([\w.-]+\.md)\b[ \t]*(?:\([^()\n]{0,80}\)[ \t]*)?[#:–—-][ \t]*(\S.*)$", re.MULTILINE
)
_SENTENCE = re.compile(r"[^#>|*`\-\s].{8,}")


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
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
            name = place.rstrip("/").rpartition("/")[2].removesuffix(".md")
            kind = item.get("type")
            found[name] = Listed(
                name, kind if isinstance(kind, str) else None, read_strategy(item.get("loadingStrategy"))
            )
    return found


def read_index(
    domain: str,
    files: Mapping[str, Metadata],
    documents: tuple[Document | None, Document | None],
    resolver: Resolver,
    on_notice: OnNotice,
) -> DomainIndex:
    """Read a domain's index (catalog specification 2), with purposes from its `index.md` and the catalog's index.

    Files that the index does not list are added. A listed file that does not exist is a notice.
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
    reference, file = metadata.reference, metadata.file
    return FileEntry(
        id=reference.id,
        path=file.path,
        type=(listed and listed.type) or reference.type,
        loading_strategy=(listed and listed.strategy) or reference.loading_strategy,
        purpose=purposes.get(file.name) or reference.title,
    )


def _purposes(index: Document | None, top: Document | None, domain: str) -> dict[str, str]:
    """The purpose of each file, by name, from the first place that states it."""
    found: dict[str, str] = {}
    for document, readers in ((index, _READERS), (top, _TOP_READERS)):
        if document is None:
            continue
        for read in readers:
            for name, text in read(document, domain):
                found.setdefault(name, text)
    return found


def _from_headings(document: Document, _domain: str) -> Iterator[tuple[str, str]]:
    """A heading with `x.md`, and `**Purpose**: …` below it."""
    for part in document.parts:
        names = list(mentions(part.name)) if part.level else []
        if len(names) == 1:
            text = _described(document.own_text(part).partition("\n")[2])
            if text:
                yield _name(names[0]), text


def _described(block: str) -> str | None:
    fields: dict[str, str] = {}
    for line in block.splitlines():
        match = _FIELD.fullmatch(line.rstrip())
        if match:
            fields.setdefault(match[1].strip().lower(), plain_cell(match[2]))
    best = next((fields[key] for key in _KEYS if key in fields), None)
    if best:
        return best
    first = next((line.strip() for line in block.splitlines() if line.strip()), "")
    return plain_cell(first) if not fields and _SENTENCE.fullmatch(first) else None


def _from_tables(document: Document, _domain: str) -> Iterator[tuple[str, str]]:
    for table in read_tables(document):
        yield from _table_purposes(table)


def _table_purposes(table: Table) -> Iterator[tuple[str, str]]:
    """Rows that begin with a file's name, and its purpose from the best column."""
    heads = [head.lower() for head in map(plain_cell, table.header)]
    column = next((heads.index(key) for key in (*_KEYS, "description", "used by") if key in heads), None)
    for row in table.rows if column else ():
        names = list(mentions(row.cells[0]))
        if len(names) == 1 and row.cells[column or 0]:
            yield _name(names[0]), plain_cell(row.cells[column or 0])


def _from_sketch(document: Document, _domain: str) -> Iterator[tuple[str, str]]:
    """Trees in a fence: `├── x.md  - purpose`."""
    for match in _SKETCH.finditer(document.body):
        yield _name(match[1]), match[2].strip()


def _from_top(document: Document, domain: str) -> Iterator[tuple[str, str]]:
    """The catalog's own index: the tables below a heading that names the domain's folder."""
    for table in read_tables(document):
        if f"({domain}/)" in table.heading.replace(" ", "") or table.heading.strip("/ ").lower() == domain.lower():
            yield from _table_purposes(table)


def _name(mention: str) -> str:
    return mention.rpartition("/")[2].removesuffix(".md")


_Read = Callable[[Document, str], Iterator[tuple[str, str]]]
_READERS: tuple[_Read, ...] = (_from_headings, _from_tables, _from_sketch)
_TOP_READERS: tuple[_Read, ...] = (_from_top,)
