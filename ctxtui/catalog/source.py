"""The source of domain catalogs: folders of domain folders with indexes and declared loading strategies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from ctxtui.catalog.library import File
from ctxtui.catalog.metadata import details_from_text, read_strategy
from ctxtui.core.base.batches import grouped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found, Walker
from ctxtui.core.documents import source
from ctxtui.core.documents.listing import CATALOG
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.documents.source import Project, by_folder, stem
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import NO_DETAILS, Details, Reference, encode_id

NAVIGATION = ("loading_protocol.md", "cross_domain.md")
_KEYS = ("loadingStrategy", "indexedFiles", "estimatedTokens")
_STRATEGIES = {"always": source.ALWAYS, "onDemand": source.DEMAND, "lazy": source.LAZY}


def find_catalogs(project: str | os.PathLike[str]) -> list[str]:
    """The root folders of the catalogs, relative to the project, `""` for the project itself.

    Folders that cannot be listed are skipped.
    """
    root = Root(project)
    # The workspace reports the problems.
    found = Walker(root, frozenset(), lambda _notice: None).walk()
    files = tuple(file for file in source.visible(found) if file.path.endswith(".md"))
    return find_roots(Project(ReadCache(root, files), files, lambda _notice: None), by_folder(files))


class CatalogSource:
    """Domain catalogs (catalog specification): domains are the folders below a catalog's root."""

    name = CATALOG

    def scan(self, project: Project) -> Iterable[Reference]:
        """Every Markdown file of every catalog. Reads frontmatter only."""
        folders = by_folder(file for file in source.visible(project.files) if file.path.endswith(".md"))
        roots = find_roots(project, folders)
        inside: dict[str, list[Found]] = {root: [] for root in roots}
        for folder, found in folders.items():
            root = next((above for above in _with_ancestors(folder) if above in inside), None)
            if root is not None:
                inside[root] += found
        for root in roots:
            prefix = f"{root}/" if root else ""
            ordered = sorted(inside[root], key=lambda file: file.path)
            yield from filter(None, (_reference(project, file, file.path[len(prefix) :]) for file in ordered))


def find_roots(project: Project, folders: Mapping[str, list[Found]]) -> list[str]:
    """The catalogs' root folders among folders of Markdown files, in order.

    Of nested folders, the root has navigation files, else the most domains, else it is the outermost.
    """
    above = {
        folder.rpartition("/")[0] for folder, files in folders.items() if folder and "index.md" in _file_names(files)
    }
    below = grouped((folder.rpartition("/")[0], folder) for folder in folders)
    ranked = []
    for root in above:
        has_navigation = bool(_file_names(folders.get(root, ())) & set(NAVIGATION))
        domains = sum(_is_domain(project, folders[folder]) for folder in below.get(root, ()) if folder != root)
        ranked.append((has_navigation, domains, -len(root), root))
    roots: set[str] = set()
    ancestors: set[str] = set()
    for has_navigation, domains, _, root in sorted(ranked, reverse=True):
        if (has_navigation or domains) and root not in ancestors and not roots.intersection(_with_ancestors(root)):
            roots.add(root)
            ancestors.update(_with_ancestors(root))
    return sorted(roots)


def _is_domain(project: Project, files: Iterable[Found]) -> bool:
    heads = (project.head(file.path) for file in islice(files, 3))
    return any(key in head.values for head in heads if head for key in _KEYS)


def _with_ancestors(folder: str) -> Iterator[str]:
    """A folder and its ancestors, innermost first, the project last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _file_names(files: Iterable[Found]) -> set[str]:
    return {file.path.rpartition("/")[2] for file in files}


def _reference(project: Project, file: Found, inner: str) -> Reference | None:
    """A file of a catalog, whose path below the catalog's root is `inner`. None with a notice for an unreadable file.

    Without metadata at its top, its text is read for details.
    """
    domain, _, name = inner.rpartition("/")
    head = project.head(file.path)
    if head is None:
        project.on_notice(Notice("unreadable-file", "cannot be read as text", file.path))
        return None
    details = (
        project.details(file.path, head) if head.has_metadata else _details_from_text(project, file, domain, name)
    )
    strategy = read_strategy(details.values.get("loadingStrategy"))
    is_navigation = not domain or name == "index.md" or details.type in ("index", "detection")
    return Reference(
        id=encode_id(f"{domain}/{stem(name)}") if domain else encode_id(file.path),
        path=file.path,
        source=CatalogSource.name,
        title=_filled_text(details.values.get("title")) or head.title or stem(name),
        stamp=file.stamp,
        priority=source.NAVIGATION if is_navigation else _STRATEGIES.get(strategy or "", source.DEMAND),
        strategy=strategy,
        details=details,
        domain=domain,
    )


def _details_from_text(project: Project, file: Found, domain: str, name: str) -> Details:
    """Details from the headings and footer of a file (catalog specification 12.2).

    None are read for an unreadable file, and for a top-level file, whose domain is "".
    """
    if not domain:
        return NO_DETAILS

    def now() -> Details:
        content = project.read_cache.content(file.path)
        text, _ = decode(content.data, file.path)
        document = Document(file.path, text, content.stamp)
        return details_from_text(File(domain, stem(name), file.path, content.stamp), document)

    try:
        return project.by_file.get(file.path, f"told in {domain}", now)
    except ContextError:
        return NO_DETAILS


def _filled_text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
