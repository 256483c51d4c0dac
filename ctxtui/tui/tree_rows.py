"""The outline: the rows of the tree to show, given what is open, the order and the filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, Literal, NamedTuple

from ctxtui.core.code.languages import has_grammar
from ctxtui.session.figures import Total
from ctxtui.tui.filtering import Filter, Label, best
from ctxtui.workspace.tree import Node

Order = Literal["path", "tokens", "flat"]
ORDERS: Final[Mapping[Order, str]] = {"path": "by path", "tokens": "by tokens", "flat": "all files by tokens"}
"""The orders of the tree, with what the title says."""

Searchable = Sequence[tuple[Node, Label]]
"""What a filter can find: documents by their paths, sections by their headings."""

_NOTHING = Total()


class Row(NamedTuple):
    """A row of the tree: its node, its depth, whether it can be opened and whether it is open.

    `above` is the place of the row that it is in, -1 at the top. A row of a flat list has a `label`.
    """

    node: Node
    depth: int
    can_open: bool
    is_open: bool
    above: int = -1
    label: Label | None = None


def outline(root: Node, opened: Set[str], totals: Mapping[str, Total], order: Order = "path") -> list[Row]:
    """The rows below the root, by path or the largest of every folder first; or every document, the largest first."""
    rows: list[Row] = []
    if order == "flat":
        for node in _by_tokens(root, totals):
            path = node.reference.path if node.reference is not None else node.title
            label = Label(path, "", 0)
            if node.id in opened:
                _add(rows, node, 0, -1, opened, totals, order, label)
            else:
                rows.append(Row(node, 0, _has_parts(node, False), False, -1, label))
    else:
        for child in _sorted(root, totals, order):
            _add(rows, child, 0, -1, opened, totals, order)
    return rows


def _by_tokens(root: Node, totals: Mapping[str, Total]) -> list[Node]:
    """Every document below the root, the largest first."""
    documents = [node for node in root.walk() if node.kind == "document"]
    sizes = {node.id: -totals.get(node.id, _NOTHING).tokens for node in documents}
    return sorted(documents, key=lambda node: (sizes[node.id], node.id))


def _add(
    rows: list[Row],
    node: Node,
    depth: int,
    above: int,
    opened: Set[str],
    totals: Mapping[str, Total],
    order: Order,
    label: Label | None = None,
) -> None:
    is_open = node.id in opened
    can_open = node.kind == "folder" or _has_parts(node, is_open)
    place = len(rows)
    rows.append(Row(node, depth, can_open, is_open and can_open, above, label))
    if is_open and can_open:
        for child in _sorted(node, totals, order):
            _add(rows, child, depth + 1, place, opened, totals, order)


def _has_parts(node: Node, is_open: bool) -> bool:
    """Whether a document or part can be opened; unopened documents are not parsed to find out."""
    if node.kind == "part" or is_open:
        return bool(node.children)
    if node.reference is None:
        return False
    path = node.reference.path
    return path.lower().endswith((".md", ".mdx", ".mdc", ".markdown")) or has_grammar(path)


def _sorted(node: Node, totals: Mapping[str, Total], order: Order) -> Sequence[Node]:
    children = node.children
    if order == "path" or node.kind != "folder":
        return children

    def size(child: Node) -> tuple[int, int]:
        total = totals.get(child.id, _NOTHING)
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


def all_folders(root: Node) -> frozenset[str]:
    """The ids of every folder below the root."""
    return frozenset(node.id for node in root.walk() if node.kind == "folder" and node is not root)


def trail(rows: Sequence[Row], place: int) -> str:
    """The titles of the rows that a row is in, from the top: `.context / TASKS`."""
    titles: list[str] = []
    while (place := rows[place].above) >= 0:
        label = rows[place].label
        titles.append(label.text if label is not None else rows[place].node.title)
    return " / ".join(reversed(titles))


def matches(found: Searchable, sought: Filter) -> list[Row]:
    """The nodes whose path or heading matches a filter, best first, each once, as a flat list."""
    rows: dict[str, Row] = {}
    for place in best([label for _, label in found], sought):
        node, label = found[place]
        rows.setdefault(node.id, Row(node, 0, False, False, -1, label))
    return list(rows.values())


def searchable(root: Node) -> Searchable:
    """Every document by its path and by those of links to it, and the headings of all except plain files."""
    found: list[tuple[Node, Label]] = []
    for node in root.walk():
        if node.kind != "document" or node.reference is None:
            continue
        path = node.reference.path
        found.append((node, Label.of(path)))
        found += [(node, _link(alias, path)) for alias in node.reference.aliases]
        if node.reference.source == "entries":
            found.append((node, Label.of_heading(path, node.title)))
        if node.reference.source != "files":
            found += [(child, Label.of_heading(path, child.title)) for child in _headings(node)]
    return found


def _link(alias: str, path: str) -> Label:
    """The label of a link: found by its own path, shown with that of the file it leads to."""
    own, target = Label.of(alias), Label.of(path)
    return Label(f"{own.text} → {target.text}", own.folded, own.tail)


def _headings(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.part and child.part.level:
            yield child
            yield from _headings(child)
