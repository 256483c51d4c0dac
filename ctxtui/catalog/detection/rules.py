"""Rules: the rows of `context_detection.md`, in any table layout, with their labels, clues and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ctxtui.catalog.detection.indicators import Clue, excludes_others, read_clues
from ctxtui.catalog.mentions import Resolver, mentions
from ctxtui.catalog.tables import Table, TableRow, code_spans, plain_cell, read_bullets, read_tables
from ctxtui.catalog.types import Kind
from ctxtui.core.text.markdown.document import Document

_LOAD = re.compile(r"\bload\b|(?:context|pattern|guide)\s+files?|\bfiles? to\b", re.IGNORECASE)
_IGNORED = re.compile(
    r"^(?:docs?|documentation|references?|links?|examples?|see also|files to inspect|notes?|what it indicates"
    r"|key features|review focus|priority)",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(
    r"import|marker|\bsee\b|indicator|spot|clue|\bfiles?\b|folder|director|package|using|signal|sign\b|dependenc"
    r"|\bcode\b|evidence|pattern|statement|csproj|looks|hint|keyword|trigger",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"framework|context|library|librar|\borm\b|interpretation|\btype\b|technology|stack|\btool\b|database|version"
    r"|means|detected|result|architecture|setting|area|\bname\b|project",
    re.IGNORECASE,
)
_TELLS_ARCHITECTURE = re.compile(
    r"implication|interpretation|purpose|indicates|characteristic|meaning", re.IGNORECASE
)
_ARCHITECTURE = re.compile(
    r"architectur|cqrs|microservice|monolith|layered|hexagonal|event.driven|service-based|standalone components"
    r"|clean\b|\bmvc\b|\bmvvm\b",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(r"(?:any|all|always|generic|none|other|n/?a|various|-|–|—|\s)*(?:\s*load)?", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:in use|projects?|detected|usage|used|supported|enabled)$", re.IGNORECASE)
# A column with a purpose, not a name.
_PURPOSE = re.compile(r"^(?:purpose|description|use|used for|what it does)\b", re.IGNORECASE)
_COMBINATION = re.compile(r"combination|multi", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: a label, the clues for it, and the files to load. `section` is the heading above.

    If `alone`, it excludes other matches in its section.
    """

    label: str
    kind: Kind
    clues: tuple[Clue, ...]
    files: tuple[str, ...]
    section: str
    architecture: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Combination:
    """A row that requires all its parts to be detected."""

    parts: tuple[str, ...]
    files: tuple[str, ...]
    section: str


@dataclass(frozen=True, slots=True)
class Rules:
    rules: tuple[Rule, ...]
    combinations: tuple[Combination, ...] = ()

    @property
    def name_files(self) -> bool:
        """Whether any row names files to load. Otherwise the index must."""
        return any(rule.files for rule in self.rules)


@dataclass(slots=True)
class _Columns:
    """The columns of a table by role. If not `named`, the label column holds purposes, not names."""

    label: int | None = None
    named: bool = False
    evidence: list[int] = field(default_factory=list)
    load: list[int] = field(default_factory=list)
    architecture: list[int] = field(default_factory=list)


OnMissing = Callable[[Iterable[str], int], None]


def read_rules(document: Document, resolver: Resolver, on_missing: OnMissing) -> Rules:
    """Read the rules of a detection file. `on_missing` receives named files that do not exist."""
    rules: list[Rule] = []
    combinations: list[Combination] = []
    for table in read_tables(document):
        if table.header and _COMBINATION.search(table.header[0]):
            combinations += _combinations(table, resolver, on_missing)
        else:
            rules += _table_rules(table, resolver, on_missing)
    rules += _bullet_rules(document, resolver, on_missing)
    return Rules(tuple(rules), tuple(combinations))


def _combinations(table: Table, resolver: Resolver, on_missing: OnMissing) -> Iterator[Combination]:
    """The rows of a table with labels such as `FastAPI + ML` that name files."""
    columns = _columns(table)
    for row in table.rows:
        parts = tuple(label_key(part) for part in re.split(r"\s*(?:\+|&|\band\b)\s*", plain_cell(row.cells[0])))
        files = _files(row, columns.load, resolver, on_missing)
        if len(parts) > 1 and all(parts) and files:
            yield Combination(parts, files, table.heading)


def _table_rules(table: Table, resolver: Resolver, on_missing: OnMissing) -> Iterator[Rule]:
    """The rules of one table. Without names in it, each clue is a rule, labelled by its sign."""
    columns = _columns(table)
    if not columns.evidence:
        return
    kind = _kind(table, columns)
    for row in table.rows:
        clues = tuple(
            clue for column in columns.evidence for clue in read_clues(row.cells[column], table.header[column])
        )
        label = plain_cell(row.cells[columns.label]) if columns.label is not None else ""
        files = _files(row, columns.load, resolver, on_missing)
        if not clues or (columns.named and _NO_LABEL.fullmatch(label)):
            continue
        rule = Rule(
            label=label,
            kind=kind,
            clues=clues,
            files=files,
            section=table.heading,
            architecture=_architecture(row, columns, kind, label),
            alone=any(excludes_others(row.cells[column]) for column in columns.evidence),
        )
        if columns.named:
            yield rule
        else:
            yield from (replace(rule, label=clue.signs[0].text, clues=(clue,)) for clue in clues)


def _columns(table: Table) -> _Columns:
    """Assign a role to each column, by its header first and then by its cells."""
    columns = _Columns()
    for column, head in enumerate(map(plain_cell, table.header)):
        role = _column_role(head, [row.cells[column] for row in table.rows], columns.label is None)
        if role == "label":
            columns.label = column
            columns.named = not _PURPOSE.search(head)
        if role in ("label", "meaning") and _TELLS_ARCHITECTURE.search(head):
            columns.architecture.append(column)
        if role == "load":
            columns.load.append(column)
        if role == "evidence":
            columns.evidence.append(column)
    return columns


def _column_role(head: str, cells: list[str], no_label: bool) -> str:
    """`load`, `meaning`, `evidence`, `label` or "", by header and cells. `no_label`: no label column so far."""
    coded = any(span for cell in cells for span in code_spans(cell) if not span.text.endswith(".md"))
    only_code = bool(cells) and all(cell.startswith("`") and cell.endswith("`") for cell in cells if cell)
    if any(any(mentions(cell)) for cell in cells) or (_LOAD.search(head) and not _IGNORED.search(head)):
        return "load"
    if _TELLS_ARCHITECTURE.search(head) and not no_label:
        return "meaning"
    if _IGNORED.search(head):
        return ""
    if coded and (_EVIDENCE.search(head) or not _LABEL.search(head) or (no_label and only_code)):
        return "evidence"
    return "label" if no_label and (_LABEL.search(head) or not coded) else ""


def _kind(table: Table, columns: _Columns) -> Kind:
    """The kind of label that a table detects, by the header of its labels and its heading."""
    head = plain_cell(table.header[columns.label]) if columns.label is not None else ""
    about = f"{table.heading} {head}".lower()
    if re.search(r"\btest", about):
        return "testing"
    if "version" in head.lower():
        return "version"
    if "architecture" in head.lower():
        return "architecture"
    if re.search(r"\b(setting|area|tool)s?\b", head.lower()):
        return "setting"
    if "librar" in head.lower():
        return "library"
    return "framework" if re.search(r"framework|context|project|stack", head.lower()) else "library"


def _files(row: TableRow, columns: Iterable[int], resolver: Resolver, on_missing: OnMissing) -> tuple[str, ...]:
    """The ids of the files that a row names in some columns. `on_missing` receives the others."""
    found: dict[str, None] = {}
    for column in columns:
        ids, missing = resolver.resolve_all(row.cells[column])
        on_missing(missing, row.line)
        found |= dict.fromkeys(ids)
    return tuple(found)


def _architecture(row: TableRow, columns: _Columns, kind: Kind, label: str) -> str:
    if kind == "architecture":
        return label
    told = (plain_cell(row.cells[column]) for column in columns.architecture)
    return next((text for text in told if _ARCHITECTURE.search(text)), "")


def _bullet_rules(document: Document, resolver: Resolver, on_missing: OnMissing) -> Iterator[Rule]:
    """Read lists instead of tables: `- **Flask**: …`, or `- **Imports**: …` below a heading that is the label."""
    grouped: dict[str, list[TableRow]] = {}
    for heading, row in read_bullets(document):
        name = row.cells[0]
        if _LOAD.search(name) or _EVIDENCE.search(name):
            grouped.setdefault(heading, []).append(row)
        else:
            yield from _bullet_rule(name, heading, [row], resolver, on_missing)
    for heading, rows in grouped.items():
        yield from _bullet_rule(heading, heading, rows, resolver, on_missing)


def _bullet_rule(
    label: str, heading: str, rows: list[TableRow], resolver: Resolver, on_missing: OnMissing
) -> Iterator[Rule]:
    """The rule of one label, if there are clues and either files or several rows."""
    clues = tuple(
        clue for row in rows if not _LOAD.search(row.cells[0]) for clue in read_clues(row.cells[1], row.cells[0])
    )
    files = tuple(dict.fromkeys(id_ for row in rows for id_ in _files(row, (1,), resolver, on_missing)))
    if clues and not _NO_LABEL.fullmatch(label) and (files or len(rows) > 1):
        kind: Kind = "testing" if "test" in heading.lower() else "framework"
        yield Rule(plain_cell(label), kind, clues, files, heading)


def label_name(label: str) -> str:
    """A label in results: `NgRx in use` is `ngrx`, `Dapper (micro-ORM)` is `dapper`."""
    name = re.sub(r"\s*\([^()]*\)", "", plain_cell(label)).strip(" .:")
    return _TAIL.sub("", name).strip().lower()


def label_key(label: str) -> str:
    """A label's name without spaces and punctuation, for comparison."""
    return re.sub(r"[\W_]+", "", label_name(label))
