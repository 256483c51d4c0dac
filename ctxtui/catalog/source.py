"""Finds domain catalogs: a folder of domain folders with indexes and declared loading strategies."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ctxtui.core import source
from ctxtui.core.details import read_details
from ctxtui.core.notices import Notice
from ctxtui.core.reference import NO_DETAILS, Reference, encode_id
from ctxtui.core.source import Head, Project, by_folder, stem
from ctxtui.core.walk import Found

_NAVIGATION = ("loading_protocol.md", "cross_domain.md")
_KEYS = ("loadingStrategy", "indexedFiles", "estimatedTokens")
_STRATEGIES = {
    "always": source.ALWAYS,
    "onDemand": source.DEMAND,
    "lazy": source.LAZY,
}


class CatalogSource:
    """Domain catalogs (seed 000): domains are the folders below a catalog's root."""

    name = "catalog"
    hidden: frozenset[str] = frozenset()

    def scan(self, project: Project) -> Iterable[Reference]:
        """Every Markdown file of every catalog; only frontmatter is read."""
        files = tuple(file for file in source.visible(project.files) if file.path.endswith(".md"))
        folders = by_folder(files)
        roots = _outermost([folder for folder in _candidates(folders) if _is_catalog(project, folder, folders)])
        for root in roots:
            prefix = f"{root}/" if root else ""
            inside = [file for file in files if file.path.startswith(prefix)]
            yield from (
                reference
                for file in inside
                if (reference := _reference(project, file, file.path[len(prefix) :], len(roots) > 1 and root))
            )


def _candidates(folders: dict[str, list[Found]]) -> list[str]:
    """Folders above a domain-like folder, which has an index of its own."""
    with_index = (folder for folder, files in folders.items() if _names(files) & {"index.md"})
    return sorted({folder.rpartition("/")[0] for folder in with_index if folder})


def _names(files: Iterable[Found]) -> set[str]:
    return {file.path.rpartition("/")[2] for file in files}


def _is_catalog(project: Project, root: str, folders: dict[str, list[Found]]) -> bool:
    if _names(folders.get(root, ())) & set(_NAVIGATION):
        return True
    prefix = f"{root}/" if root else ""
    below = (
        file
        for folder, files in folders.items()
        if folder.startswith(prefix) and folder[len(prefix) :] and "/" not in folder[len(prefix) :]
        for file in files
    )
    heads = (project.head(file.path) for file in islice(below, 5))
    return any(_declares(head) for head in heads if head)


def _declares(head: Head) -> bool:
    return head.frontmatter is not None and any(key in head.frontmatter.values for key in _KEYS)


def _outermost(folders: list[str]) -> list[str]:
    kept: list[str] = []
    for folder in sorted(folders, key=len):
        if not any(other == "" or folder.startswith(f"{other}/") for other in kept):
            kept.append(folder)
    return sorted(kept)


def _reference(project: Project, file: Found, inner: str, root: str | bool) -> Reference | None:
    domain, _, name = inner.rpartition("/")
    head = project.head(file.path)
    if head is None:
        project.on_notice(Notice("unreadable-file", "cannot be read as text", file.path))
        return None
    details = NO_DETAILS
    if head.frontmatter is not None:
        for notice in head.frontmatter.notices:
            project.on_notice(notice)
        details = read_details(head.frontmatter.values, file.path, project.on_notice)
    strategy = _text(details.values.get("loadingStrategy"))
    label = f"catalog: {root}/{domain}".rstrip("/") if root else f"catalog: {domain or '(navigation)'}"
    return Reference(
        id=encode_id(f"{domain}/{stem(name)}") if domain else encode_id(file.path),
        path=file.path,
        source=CatalogSource.name,
        group=(label,),
        title=_text(details.values.get("title")) or head.title or stem(name),
        stamp=file.stamp,
        priority=_priority(strategy, details.type, name, domain),
        strategy=strategy,
        details=details,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _priority(strategy: str | None, kind: str | None, name: str, domain: str) -> int:
    if not domain or name == "index.md" or kind in ("index", "detection"):
        return source.NAVIGATION
    return _STRATEGIES.get(strategy or "", source.DEMAND)
