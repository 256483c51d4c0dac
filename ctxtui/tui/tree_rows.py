"""The outline: the rows of the tree to show, given what is open, the sort order and the filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ctxtui.session.figures import Total
from ctxtui.workspace.tree import Node


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the tree: its node, its depth, whether it can be opened and whether it is open."""

    node: Node
    depth: int
    can_open: bool
    is_open: bool
    label: str | None = None


def outline(root: Node, opened: Set[str], totals: Mapping[str, Total] | None = None) -> list[Row]:
    """The rows below the root; with totals, the largest of every folder first."""
    return list(_below(root, 0, opened, totals))


def _below(node: Node, depth: int, opened: Set[str], totals: Mapping[str, Total] | None) -> Iterator[Row]:
    for child in _sorted(node, totals):
        is_open = child.id in opened
        can_open = child.kind == "folder" or _has_parts(child, is_open)
        yield Row(child, depth, can_open, is_open and can_open)
        if is_open and can_open:
            yield from _below(child, depth + 1, opened, totals)


def _has_parts(node: Node, is_open: bool) -> bool:
    """Whether a document or part can be opened; unopened documents are not parsed to find out."""
    if node.kind == "part" or is_open:
        return bool(node.children)
    return node.reference is not None and node.reference.path.lower().endswith((".md", ".mdx", ".mdc", ".markdown"))


def _sorted(node: Node, totals: Mapping[str, Total] | None) -> Sequence[Node]:
    children = node.children
    if totals is None or node.kind != "folder":
        return children

    def size(child: Node) -> tuple[int, int]:
        total = totals.get(child.id, Total())
        return -total.tokens, -total.left

    return sorted(children, key=size)


def opened_with(node: Node, opened: frozenset[str]) -> frozenset[str]:
    """What is open once a node is opened: an only top section opens with its document."""
    opened |= {node.id}
    if node.kind == "document":
        sections = [child for child in node.children if child.part and child.part.level]
        if len(sections) == 1:
            opened |= {sections[0].id}
    return opened


def matches(nodes: Sequence[tuple[Node, str]], query: str, limit: int = 2000) -> list[Row]:
    """The nodes whose path or heading matches a query fuzzily, best first, as a flat list."""
    # The app's own matcher; imported by the app, never by the core.
    from textual.fuzzy import FuzzySearch  # noqa: PLC0415

    search = FuzzySearch()
    words = query.casefold()
    letters = [letter for letter in words if not letter.isspace()]
    scored = []
    for position, (node, label) in enumerate(nodes):
        if not _holds(label.casefold(), letters):
            continue
        score, _ = search.match(query, label)
        if score > 0:
            scored.append((-score - (words in label.casefold()) * 10, position, node, label))
    scored.sort(key=lambda each: each[:2])
    return [Row(node, 0, False, False, label) for _, _, node, label in scored[:limit]]


def _holds(label: str, letters: Sequence[str]) -> bool:
    """Whether a label contains all letters in order: a cheap test before the real match."""
    position = -1
    for letter in letters:
        position = label.find(letter, position + 1)
        if position < 0:
            return False
    return True


def searchable(root: Node) -> list[tuple[Node, str]]:
    """Every document by its path, and the headings of all except plain files."""
    found: list[tuple[Node, str]] = []
    for node in root.walk():
        if node.kind != "document" or node.reference is None:
            continue
        found.append((node, node.reference.path))
        if node.reference.source != "files":
            found += _headings(node, node.title)
    return found


def _headings(node: Node, prefix: str) -> Iterator[tuple[Node, str]]:
    for child in node.children:
        if child.part and child.part.level:
            yield child, f"{prefix} / {child.title}"
            yield from _headings(child, prefix)
