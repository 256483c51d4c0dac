"""Rules about domain catalogs: contradictions between files, indexes and the cross-domain table."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ctxtui.audit.context import Audited
from ctxtui.audit.rules.references.short_indexes import short_indexes
from ctxtui.audit.types import Finding
from ctxtui.catalog.domain_index import read_hints, read_workflows
from ctxtui.catalog.library import file_id
from ctxtui.catalog.mentions import Resolver
from ctxtui.catalog.metadata import INDEX, read_strategy
from ctxtui.catalog.protocol.cross_domain import read_rows
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.workspace.links import catalog_root

_ID = re.compile(r"[\w.-]+(?:/[\w.-]+)+")


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """A catalog file: its domain by folder (`""` at the top level), and its name without extension."""

    domain: str
    name: str
    reference: Reference


def _files_by_catalog(audited: Audited) -> dict[str, list[CatalogFile]]:
    """The files of each catalog, by its root."""
    found: defaultdict[str, list[CatalogFile]] = defaultdict(list)
    for reference in audited.references:
        root = catalog_root(reference)
        if root is not None:
            inner = reference.path[len(root) :].lstrip("/").removesuffix(".md")
            domain, _, name = inner.rpartition("/")
            found[root].append(CatalogFile(domain, name, reference))
    return found


def _names_by_domain(files: Sequence[CatalogFile]) -> dict[str, set[str]]:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for each in files:
        names[each.domain].add(each.name)
    return names


def wrong_identity(audited: Audited) -> Iterator[Finding]:
    """Files whose id or domain differs from their path, and ids claimed twice. Top-level files may claim any."""
    for files in _files_by_catalog(audited).values():
        for each in files:
            details = each.reference.details
            claimed, place = details.values.get("id"), file_id(each.domain, each.name)
            claims = {"id": claimed} if claimed not in (None, place) else {}
            claims |= {"domain": details.domain} if details.domain not in (None, each.domain) else {}
            if each.domain and claims:
                words = " and ".join(f"{key} {value}" for key, value in claims.items())
                path = each.reference.path
                line, message = (
                    audited.line_of(path, next(iter(claims))),
                    f"claims {words}; its path makes it {place}",
                )
                subject = details.domain if claimed is None else claimed
                yield _finding("wrong-identity", message, path, line, str(subject))
    for notice in audited.workspace.notices:
        if notice.code == "duplicate-id":
            yield _finding("wrong-identity", notice.message, notice.path, notice.line, "duplicate")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A file in an index: its name without extension, the paths that it may have, and the metadata given for it."""

    name: str
    places: tuple[str, ...]
    type: str | None
    strategy: str | None


def wrong_index(audited: Audited) -> Iterator[Finding]:
    """Indexes that list missing files, omit files, or contradict the metadata of files."""
    yield from short_indexes(audited)
    for root, files in _files_by_catalog(audited).items():
        names = _names_by_domain(files)
        for index in files:
            if index.name == INDEX and index.domain and not audited.is_stopped:
                inside = {each.name: each.reference for each in files if each.domain == index.domain}
                document = audited.document(index.reference)
                if document:
                    yield from _index_findings(audited, root, document, index.reference, inside)
                    yield from _missing_mentions(document, Resolver(index.domain, names))


def _index_findings(
    audited: Audited, root: str, document: Document, index: Reference, inside: Mapping[str, Reference]
) -> Iterator[Finding]:
    entries = list(_entries(index, root))
    for entry in entries:
        if not any(audited.exists(place) for place in entry.places):
            yield _index_finding(document, f"lists {entry.name}.md, which does not exist", entry.name)
        elif entry.name in inside and entry.name != INDEX:
            yield from _contradictions(document, entry, inside[entry.name])
    known = {entry.name for entry in entries} | {INDEX}
    for name, reference in inside.items():
        if name not in known and _offset(document, name) < 0:
            tokens = audited.tokens(reference.path) or 0
            message = f"leaves out {name}.md, which is in the same folder"
            yield replace(_index_finding(document, message, name), tokens=tokens)


def _index_finding(document: Document, message: str, name: str) -> Finding:
    line = document.text.count("\n", 0, max(_offset(document, name), 0)) + 1
    return _finding("wrong-index", message, document.path, line, name)


def _offset(document: Document, name: str) -> int:
    """The offset of the first mention of a name, also with an extension, -1 if there is none."""
    name = re.escape(name)
    # The name comes first: a pattern that begins with a literal is found thirty times as fast.
    found = re.search(rf"{name}(?<![\w-]{name})(?![\w-])", document.text)
    return found.start() if found else -1


def _entries(index: Reference, root: str) -> Iterator[IndexEntry]:
    """The entries of an index's `indexedFiles`, without those that have neither a path nor an id."""
    value = index.details.values.get("indexedFiles")
    folder = posixpath.dirname(index.path)
    for item in value if isinstance(value, list) else ():
        written = item.get("path") or item.get("id") if isinstance(item, dict) else None
        if not isinstance(written, str) or not written.strip():
            continue
        name = written.rstrip("/").rpartition("/")[2].removesuffix(".md")
        bases = ((folder, written), (root, written), (folder, name))
        paths = (f"{base}/{path.removesuffix('.md')}.md".lstrip("/") for base, path in bases)
        places = tuple(posixpath.normpath(path) for path in paths)
        kind, strategy = item.get("type"), read_strategy(item.get("loadingStrategy"))
        yield IndexEntry(name, places, kind if isinstance(kind, str) else None, strategy)


def _contradictions(document: Document, entry: IndexEntry, reference: Reference) -> Iterator[Finding]:
    """At most one finding, about type and loading strategy if index and file name both and differ."""
    details = reference.details
    own = read_strategy(details.values.get("loadingStrategy"))
    pairs = (("type", entry.type, details.type), ("loadingStrategy", entry.strategy, own))
    differing = [f"{key} {said}, the file {own}" for key, said, own in pairs if said and own and said != own]
    if differing:
        message = f"says of {entry.name}.md {' and '.join(differing)}"
        yield replace(_index_finding(document, message, entry.name), subject=f"{entry.name} differs")


def _missing_mentions(document: Document, resolver: Resolver) -> Iterator[Finding]:
    """Findings about missing files that an index names in its tables and workflows."""
    notices: dict[Notice, None] = {}
    read_hints(document, resolver, notices.setdefault)
    deque(read_workflows(document, resolver, notices.setdefault), maxlen=0)
    for notice in notices:
        yield _finding("wrong-index", notice.message, document.path, notice.line, notice.message.partition(" ")[0])


def missing_targets(audited: Audited) -> Iterator[Finding]:
    """Missing files in the cross-domain table or in a file's `crossDomainTriggers`."""
    for files in _files_by_catalog(audited).values():
        names = _names_by_domain(files)
        for each in files:
            if each.name == "cross_domain" and not each.domain:
                document = audited.document(each.reference)
                yield from _row_findings(document, names) if document else ()
            resolver = Resolver(each.domain, names)
            for trigger in each.reference.details.cross_domain_triggers:
                if _ID.fullmatch(trigger) and resolver.resolve(trigger) is None:
                    line = audited.line_of(each.reference.path, "crossDomainTriggers")
                    yield _missing_target(each.reference.path, trigger, line)


def _row_findings(document: Document, names: Mapping[str, set[str]]) -> Iterator[Finding]:
    for row in read_rows(document):
        for target in row.targets:
            domains = [row.domain] if row.domain else sorted(names)
            if not any(Resolver(domain, names).resolve(target) for domain in domains):
                yield _missing_target(document.path, target, row.line)


def _missing_target(path: str, target: str, line: int) -> Finding:
    return _finding("missing-target", f"names {target}, which does not exist", path, line, target)


def _finding(rule: str, message: str, path: str | None, line: int | None, subject: str) -> Finding:
    evidence = "compared with the files of the catalog"
    return Finding(rule, "warning", message, path, line, evidence=evidence, subject=subject)
