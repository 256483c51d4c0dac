"""The cross-domain triggers and links of a document, with their targets in the project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxtui.catalog.library import split_id
from ctxtui.catalog.provider import MarkdownFileContextProvider
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.documents.listing import CATALOG
from ctxtui.core.text.markdown.links import find_links
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RelatedLink:
    """A `trigger` or `link` as written, and its target here by id, or None with a `reason`."""

    kind: str
    label: str
    target: str | None
    reason: str


def related_links(workspace: Workspace, reference: Reference) -> list[RelatedLink]:
    """The triggers of a document, then its links in their order, each once. Raises ContextError if unreadable."""
    document = workspace.document(reference)
    first: dict[tuple[str, str], RelatedLink] = {}
    for trigger in _triggers(workspace, reference):
        first.setdefault((trigger.kind, trigger.target or trigger.label), trigger)
    for each in find_links(document):
        if each.path != reference.path:
            link = _link_to(workspace, each.text or each.target, each.path, each.anchor, each.line)
            first.setdefault((link.kind, link.target or each.target), link)
    return list(first.values())


def _link_to(workspace: Workspace, label: str, path: str, anchor: str, line: int) -> RelatedLink:
    """A link with its target. An empty path leads out of the project, a folder means its `index.md`."""
    target = workspace.by_path.get(path) or workspace.by_path.get(f"{path}/index.md")
    if target is not None:
        return RelatedLink("link", label, _with_anchor(workspace, target, anchor), f"line {line}: {target.id}")
    if not path:
        return RelatedLink("link", label, None, f"line {line}: leads out of the project")
    why = "is not a context file" if workspace.reader.root.exists(path) else "does not exist"
    return RelatedLink("link", label, None, f"line {line}: {path} {why}")


def _with_anchor(workspace: Workspace, reference: Reference, anchor: str) -> str:
    """The id of the section with an anchor, or of the document if it has no such section or cannot be read."""
    if not anchor:
        return reference.id
    try:
        found = workspace.document(reference).position(anchor)
    except ContextError:
        found = None
    return reference.id if found is None else str(Target(reference.id, anchor))


def _triggers(workspace: Workspace, reference: Reference) -> Iterator[RelatedLink]:
    """The links of the `crossDomainTriggers` of a reference: ids of files, else conditions of the catalog's table.

    Outside a catalog, a trigger that is no id is a link without a target.
    """
    triggers = reference.details.cross_domain_triggers
    root = catalog_root(reference) if triggers else None
    for trigger in triggers:
        path = f"{root}/{trigger.removesuffix('.md')}.md".lstrip("/") if root is not None else f"{trigger}.md"
        target = workspace.by_path.get(path) or workspace.by_id.get(trigger)
        if target is not None:
            yield RelatedLink("trigger", trigger, target.id, "named in the metadata")
        elif root is None:
            yield RelatedLink("trigger", trigger, None, "no such document")
        elif choices := catalog_of(workspace, root).choose_cross_domain(reference.domain, [trigger]):
            for choice in choices:
                target = workspace.by_path.get(document_path(root, choice.id))
                yield RelatedLink("trigger", trigger, target.id if target else None, choice.reason)
        else:
            yield RelatedLink("trigger", trigger, None, "no file, and no row of cross_domain.md matches it")


def catalog_of(workspace: Workspace, root: str, counter: TokenCounter | None = None) -> MarkdownFileContextProvider:
    """The catalog in a folder of the project, with the files that the workspace lists. Its notices are dropped."""
    below = workspace.reader.root.below(root)
    prefix = f"{root}/" if root else ""
    return MarkdownFileContextProvider(
        below, counter=counter, on_notice=lambda _notice: None, sees=lambda path: prefix + path in workspace.by_path
    )


def catalog_root(reference: Reference) -> str | None:
    """The folder of a document's catalog, `""` for the project. None for a document of another source."""
    if reference.source != CATALOG:
        return None
    return reference.path.rpartition("/")[0].removesuffix(reference.domain).rstrip("/")


def document_path(root: str, id_: str) -> str:
    """The path of a catalog's file, relative to the project, by its id in the catalog."""
    domain, name = split_id(id_)
    return "/".join(part for part in (root, domain, f"{name}.md") if part)
