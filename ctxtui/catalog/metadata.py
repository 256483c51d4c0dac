"""The metadata of one file: its frontmatter or, if damaged, its path, footer and headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxtui.catalog.library import File, Library
from ctxtui.catalog.text_match import STOP, words
from ctxtui.core.base.batches import firsts
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import match_key
from ctxtui.core.text.metadata.frontmatter import Frontmatter
from ctxtui.core.text.metadata.reference import ALWAYS, LAZY, NO_DETAILS, ON_DEMAND, Details, read_details

if TYPE_CHECKING:
    from ctxtui.catalog.types import ContextCatalogEntry, ContextReference

INDEX, DETECTION, REFERENCE = "index", "detection", "reference"
DETECTION_FILE = "context_detection"
_BY_NAME = {"index": INDEX, DETECTION_FILE: DETECTION}
_ALWAYS_TYPES = (ALWAYS, DETECTION, INDEX)
_STRATEGIES = {"always": ALWAYS, "ondemand": ON_DEMAND, "conditional": ON_DEMAND, "demand": ON_DEMAND, "lazy": LAZY}
_REQUIRED = ("title", "type", "estimatedTokens", "loadingStrategy")
_DAMAGE = ("frontmatter-yaml", "frontmatter-unclosed")
_FOOTER = {
    "version": re.compile(r"(?im)^[*_ \t]*version[*_]*:[*_ \t]*v?(\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?)"),
    "lastUpdated": re.compile(r"(?im)^[*_ \t]*last updated[*_]*:[*_ \t]*(\d{4}-\d{2}-\d{2})"),
    "maintainedFor": re.compile(r"(?im)^[*_ \t]*maintained for[*_]*:[*_ \t]*([^*_\r\n]*[^*_\s])"),
}
_NOISE = STOP | {"pattern", "overview"}


@dataclass(frozen=True, slots=True, eq=False)
class Metadata:
    """The metadata of one file: as a reference, and as raw `values` of the frontmatter.

    Without intact frontmatter, values from path, headings and footer complete `values`.
    """

    file: File
    reference: ContextReference
    values: Mapping[str, Any]
    notices: tuple[Notice, ...]

    @property
    def entry(self) -> ContextCatalogEntry:
        from ctxtui.catalog.types import ContextCatalogEntry  # noqa: PLC0415 - as below

        reference = self.reference
        return ContextCatalogEntry(
            id=reference.id,
            domain=reference.domain,
            title=reference.title,
            type=reference.type,
            estimated_tokens=reference.estimated_tokens,
            loading_strategy=reference.loading_strategy,
            path=self.file.path,
            tags=reference.tags,
        )


def read_metadata(library: Library, file: File) -> Metadata | Notice:
    """Read a file's metadata with their problems. A notice instead if the file is not readable text.

    Only without an intact frontmatter is the whole file read (catalog specification 12.2).
    """
    result: Metadata | Notice = library.derived(file, "meta", lambda: _read(library, file))
    return result


def _read(library: Library, file: File) -> Metadata | Notice:
    notices: list[Notice] = []
    frontmatter = library.frontmatter(file)
    document = None
    if frontmatter is None or not _is_intact(frontmatter):
        text = library.document_or_notice(file)
        if isinstance(text, Notice):
            return text
        document = text
        notices += [document.damage] if document.damage else []
        frontmatter = document.frontmatter
    values: Mapping[str, Any] = frontmatter.values if frontmatter else {}
    notices += frontmatter.notices if frontmatter else ()
    details = read_details(values, file.path, notices.append)
    # A required value of the wrong type counts as missing.
    is_partial = details.declared_tokens is None or details.type is None or not _text(values.get("title"))
    if document is None and is_partial:
        text = library.document_or_notice(file)
        document = None if isinstance(text, Notice) else text
    if document is not None:
        damaged = frontmatter is not None and any(notice.code in _DAMAGE for notice in frontmatter.notices)
        values, details = _filled(file, document, values, details, damaged)
    reference = _reference(library, file, values, details, notices)
    return Metadata(file, reference, values, tuple(notices))


def details_from_text(file: File, document: Document) -> Details:
    """The details of a file without frontmatter, from path, headings and footer, without tokens."""
    return read_details(_fallback_identity(file, document, NO_DETAILS), file.path, lambda _notice: None)


def damage_clause(document: Document) -> str:
    """The end of a notice's message if broken frontmatter may hide part of a document's text, else empty."""
    notices = document.frontmatter.notices if document.frontmatter else ()
    line = next((notice.line for notice in notices if notice.code in _DAMAGE), None)
    if line is None:
        return ""
    return f"; the file's frontmatter is broken (line {line}), so part of its text may be missing"


def _is_intact(frontmatter: Frontmatter) -> bool:
    is_damaged = any(notice.code in _DAMAGE for notice in frontmatter.notices)
    return not is_damaged and all(frontmatter.values.get(key) is not None for key in _REQUIRED)


def _filled(
    file: File, document: Document, values: Mapping[str, Any], details: Details, damaged: bool
) -> tuple[Mapping[str, Any], Details]:
    """The frontmatter's values completed from the text, and their details. Values of the wrong type count as missing.

    Headings complete the sections if none are declared, or if the frontmatter is `damaged`.
    """
    fallback = _fallback(file, document, details)
    refused = {"estimatedTokens": details.declared_tokens is None, "type": details.type is None}
    usable = {key: value for key, value in values.items() if value is not None and not refused.get(key)}
    merged = fallback | usable
    if "sections" not in usable or damaged:
        merged["sections"] = _joined_sections(details, fallback["sections"])
    return merged, read_details(merged, file.path, lambda _notice: None)


def _fallback(file: File, document: Document, details: Details) -> dict[str, Any]:
    """Metadata without frontmatter (catalog specification 12.2): identity, size and H2 sections of the file."""
    return _fallback_identity(file, document, details) | {
        "estimatedTokens": approximate_tokens(document.body),
        "sections": [
            {
                "name": part.name,
                "estimatedTokens": approximate_tokens(document.text[part.start : part.end]),
                "keywords": list(dict.fromkeys(word for word in words(match_key(part.name)) if word not in _NOISE)),
            }
            for part in document.parts
            if part.level == 2
        ],
    }


def _fallback_identity(file: File, document: Document, details: Details) -> dict[str, Any]:
    """The values of the file as a whole, except its size, from its path, first heading and footer."""
    kind = details.type or _BY_NAME.get(file.name, REFERENCE)
    fallback = {
        "id": file.id,
        "domain": file.domain,
        "title": next((part.name for part in document.parts if part.level == 1), None) or file.name,
        "type": kind,
        "loadingStrategy": ALWAYS if kind in _ALWAYS_TYPES else ON_DEMAND,
        "tags": list(dict.fromkeys(part for part in (file.domain, *file.name.lower().split("_")) if part)),
    }
    return fallback | _footer(document)


def approximate_tokens(text: str) -> int:
    """The tokens of a text by its number of words, without a tokenizer: words / 0.75."""
    return round(len(text.split()) / 0.75)


def _footer(document: Document) -> dict[str, str]:
    """The last footer line of each kind outside code, such as `**Last Updated**: 2026-01-31`."""
    found: dict[str, str] = {}
    for key, pattern in _FOOTER.items():
        matches = pattern.finditer(document.body)
        shown = [match[1] for match in matches if document.scan.lines.at(match.start()) not in document.scan.code]
        if shown:
            # `**Maintained For**: py-review skill` names the skill `py-review`.
            found[key] = shown[-1].removesuffix("skill").rstrip()
    return found


def _joined_sections(details: Details, headings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The declared sections, completed from the headings with their names, then the other headings."""
    by_key = firsts((match_key(heading["name"]), heading) for heading in headings)
    declared = []
    for section in details.sections:
        heading = by_key.pop(match_key(section.name), {"estimatedTokens": None, "keywords": []})
        tokens = section.estimated_tokens if section.estimated_tokens is not None else heading["estimatedTokens"]
        keywords = list(section.keywords) or heading["keywords"]
        declared.append({"name": section.name, "estimatedTokens": tokens, "keywords": keywords})
    return declared + list(by_key.values())


def _reference(
    library: Library, file: File, values: Mapping[str, Any], details: Details, notices: list[Notice]
) -> ContextReference:
    """The reference of a file. Its identity is by path, and a different claim in `values` is added to `notices`."""
    # Creating these classes takes milliseconds, and opening a project needs none.
    from ctxtui.catalog.types import ContextReference, SectionRef  # noqa: PLC0415

    kind = details.type or _BY_NAME.get(file.name, REFERENCE)
    claimed, domain = values.get("id"), details.domain
    if file.domain and (claimed not in (None, file.id) or domain not in (None, file.domain)):
        message = f"claims to be {claimed} of domain {domain}; by its path it is {file.id}"
        notices.append(Notice("metadata-identity", message, file.path))
    return ContextReference(
        id=file.id,
        domain=file.domain,
        title=_text(values.get("title")) or file.name,
        type=kind,
        estimated_tokens=details.declared_tokens or 0,
        loading_strategy=_strategy(values.get("loadingStrategy"), kind, file, notices),
        sections=tuple(SectionRef(each.name, each.estimated_tokens or 0, each.keywords) for each in details.sections),
        tags=details.tags,
        cross_domain_triggers=details.cross_domain_triggers,
        detection_triggers=details.detection_triggers,
        path=str(library.root.path / file.path),
    )


def read_strategy(value: object) -> str | None:
    """The loading strategy in the specification's spelling, or None for an unknown value."""
    return _STRATEGIES.get(re.sub(r"[\s_-]", "", value).lower()) if isinstance(value, str) else None


def _strategy(value: object, kind: str, file: File, notices: list[Notice]) -> str:
    """The loading strategy, by default that of the type `kind`. An unknown value is added to `notices`."""
    strategy = read_strategy(value)
    if strategy is None and value is not None:
        message = f"`loadingStrategy: {str(value)[:40]}` is not always, onDemand or lazy; read as onDemand"
        notices.append(Notice("metadata-value", message, file.path))
        return ON_DEMAND
    return strategy or (ALWAYS if kind in _ALWAYS_TYPES else ON_DEMAND)


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
