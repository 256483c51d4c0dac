"""The outline: the visible rows of the tree by open nodes, order and filter."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from heapq import heappop, heappush
from itertools import accumulate
from typing import Final, Literal, NamedTuple, overload

from ctxtui.core.base.target import Target
from ctxtui.core.text.code.languages import has_grammar
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Total, Totals
from ctxtui.tui.filtering import Filter, SearchLabel, best
from ctxtui.workspace.opening.plain_files import PLAIN
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

Order = Literal["path", "tokens", "flat"]
ORDERS: Final[Mapping[Order, str]] = {"path": "by path", "tokens": "by tokens", "flat": "all files by tokens"}
"""The orders of the tree, with their words in the title."""

Searchable = Sequence[tuple[Node, SearchLabel]]
"""The nodes that a filter searches: documents by paths, sections by headings."""

_NOTHING = Total()
# Headings and symbols of at most this many plain files are searched: a thousand files take a second to read.
_MOST_READ: Final = 3_000
# Folders with less than this part of the project's tokens stay closed at first.
_SMALL: Final = 50


class TreeRow(NamedTuple):
    """A row of the tree: its node, its depth, whether it can open and whether it is open.

    `above` is the position of its parent's row, -1 at the top. A row of a flat list has a `label`.
    """

    node: Node
    depth: int
    can_open: bool
    is_open: bool
    above: int = -1
    label: SearchLabel | None = None


class Outline(Sequence[TreeRow]):
    """The rows of a tree, made on demand. Folders whose whole content is open are not walked.

    Ordered by path, by tokens within each folder, or as a flat list of documents by tokens.
    """

    def __init__(
        self, root: Node, opened: Set[str], by_id: Mapping[str, Reference], totals: Totals, order: Order = "path"
    ) -> None:
        self._root, self._opened, self._by_id = root, opened, by_id
        self._totals, self._order = totals, order
        self._is_mostly_open = len(opened) > len(root.folder_ids) // 2
        self._touched = _touched(root, opened, by_id, self._is_mostly_open)
        self._lengths: dict[str, int] = {}
        self._branches: dict[int, _Branch] = {}
        self._top = self._branch(root, 0, 0) if order != "flat" else self._flat(root)

    def _flat(self, root: Node) -> _Branch:
        largest = self._totals.largest
        documents = _Documents(root, largest if largest else sorted(root.documents(), key=lambda each: each.id))
        starts: Sequence[int] = range(len(documents) + 1)
        if self._opened - root.folder_ids:
            starts = list(accumulate((1 + self._length(each) for each in documents), initial=0))
        return _Branch(root, documents, starts, 0, 0)

    def __len__(self) -> int:
        return self._top.starts[-1]

    @overload
    def __getitem__(self, index: int) -> TreeRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[TreeRow]: ...

    def __getitem__(self, index: int | slice) -> TreeRow | Sequence[TreeRow]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        branch = self._top
        while True:
            child = bisect_right(branch.starts, place) - 1
            node, start = branch.nodes[child], branch.starts[child]
            if start == place:
                return self._row(node, branch)
            branch = self._branch(node, start + 1, branch.depth + 1)

    def place_of(self, node: Node) -> int | None:
        """The position of a node's row, None if it does not exist or an ancestor is closed."""
        branch = self._top
        for id_ in self._path(node):
            child = branch.child(id_)
            if child is None:
                return None
            start = branch.starts[child]
            if id_ == node.id:
                return start
            if branch.starts[child + 1] == start + 1:
                return None
            branch = self._branch(branch.nodes[child], start + 1, branch.depth + 1)
        return None

    def _path(self, node: Node) -> Iterator[str]:
        """The ids of a node's ancestors from the top, and its own."""
        group, document = node.group[:-1], None
        if node.reference is not None:
            document = self._by_id.get(node.reference.id)
            if document is None:
                return
            group = document.folders
        if self._order != "flat":
            yield from (f"{'/'.join(group[:depth])}/" for depth in range(1, len(group) + 1))
        if document is not None and node.kind == "part":
            yield document.id
            yield from _within(self._root.leaf(document), node.id) or ()
        yield node.id

    def _row(self, node: Node, branch: _Branch) -> TreeRow:
        is_open = node.id in self._opened
        can_open = node.kind == "folder" or _has_parts(node, is_open)
        label = None
        if self._order == "flat" and not branch.depth:
            label = SearchLabel(node.reference.path if node.reference is not None else node.title, "", 0)
        return TreeRow(node, branch.depth, can_open, is_open and can_open, branch.first - 1, label)

    def _branch(self, node: Node, first: int, depth: int) -> _Branch:
        """The rows inside an open node, the first at position `first`."""
        branch = self._branches.get(first)
        if branch is None:
            nodes = _sorted(node, self._totals, self._order)
            starts = list(accumulate((1 + self._length(each) for each in nodes), initial=first))
            branch = self._branches[first] = _Branch(node, nodes, starts, first, depth)
        return branch

    def _length(self, node: Node) -> int:
        if node.id not in self._opened:
            return 0
        if node.kind == "folder" and node.id not in self._touched:
            return node.below if self._is_mostly_open else len(node.children)
        if node.id not in self._lengths:
            self._lengths[node.id] = sum(1 + self._length(each) for each in node.children)
        return self._lengths[node.id]


class _Branch:
    """The rows inside an open node: its children in order, the position of each child's row, and of the next row."""

    __slots__ = ("depth", "first", "nodes", "of", "starts")

    def __init__(self, of: Node, nodes: Sequence[Node], starts: Sequence[int], first: int, depth: int) -> None:
        self.of, self.nodes, self.starts, self.first, self.depth = of, nodes, starts, first, depth

    def child(self, id_: str) -> int | None:
        """The index of the child with an id."""
        if isinstance(self.nodes, _Documents):
            return self.nodes.find(id_)
        return next((place for place, node in enumerate(self.nodes) if node.id == id_), None)


class _Documents(Sequence[Node]):
    """The nodes of documents, made on demand."""

    def __init__(self, root: Node, references: Sequence[Reference]) -> None:
        self._root, self._references = root, references

    def __len__(self) -> int:
        return len(self._references)

    def find(self, id_: str) -> int | None:
        return next((place for place, each in enumerate(self._references) if each.id == id_), None)

    @overload
    def __getitem__(self, index: int) -> Node: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...

    def __getitem__(self, index: int | slice) -> Node | Sequence[Node]:
        if isinstance(index, slice):
            return _Documents(self._root, self._references[index])
        return self._root.leaf(self._references[index])


def _within(node: Node, id_: str) -> list[str] | None:
    """The ids of the parts between a document and one of its parts, None if it is not below the node."""
    for child in node.children:
        if child.id == id_:
            return []
        inner = _within(child, id_)
        if inner is not None:
            return [child.id, *inner]
    return None


def _touched(root: Node, opened: Set[str], by_id: Mapping[str, Reference], is_mostly_open: bool) -> Set[str]:
    """The ids of the folders with both open and closed folders below, or with open documents, and of a few more."""
    folders = root.folder_ids
    differing = [*(opened - folders), *(folders - opened)] if is_mostly_open else opened
    touched: set[str] = set()
    for id_ in differing:
        reference = None if id_ in folders else by_id.get(Target.parse(id_).document)
        inner = id_[:-1] if reference is None else f"{'/'.join(reference.folders)}/x"
        while "/" in inner:
            inner = inner.rpartition("/")[0]
            if f"{inner}/" in touched:
                break
            touched.add(f"{inner}/")
    return touched


def _has_parts(node: Node, is_open: bool) -> bool:
    """Whether a document or part can be opened. Unopened documents are not parsed for it."""
    if node.kind == "part" or is_open:
        return bool(node.children)
    if node.reference is None:
        return False
    path = node.reference.path
    return path.lower().endswith((".md", ".mdx", ".mdc", ".markdown", ".rst")) or has_grammar(path)


def _sorted(node: Node, totals: Totals, order: Order) -> Sequence[Node]:
    children = node.children
    if order == "path" or node.kind != "folder":
        return children

    def size(child: Node) -> tuple[int, int]:
        total = totals.get(child.id, _NOTHING)
        return -total.tokens, -total.left

    return sorted(children, key=size)


def opened_with(node: Node, opened: frozenset[str]) -> frozenset[str]:
    """The open ids after a node is opened. A document's only top section opens with it."""
    opened |= {node.id}
    if node.kind == "document":
        sections = [child for child in node.children if child.part and child.part.level]
        if len(sections) == 1:
            opened |= {sections[0].id}
    return opened


def opened_to_fit(root: Node, totals: Totals, height: int) -> frozenset[str]:
    """The folders to open first, by tokens, so that the rows fit the height. Small folders stay closed."""
    opened: set[str] = set()
    rows, closed = 0, [(-totals.get("", _NOTHING).tokens, "", root)]
    least = closed[0][0] // _SMALL
    while closed:
        size, _, node = heappop(closed)
        if size > least or (rows + len(node.children) > height and node is not root):
            continue
        opened.add(node.id)
        rows += len(node.children)
        for child in node.children:
            if child.kind == "folder":
                heappush(closed, (-totals.get(child.id, _NOTHING).tokens, child.id, child))
    return frozenset(opened - {root.id})


def place_of(id_: str, rows: Sequence[TreeRow], workspace: Workspace, opened: frozenset[str]) -> int | None:
    """The position of a row by its id. Documents that are not open are not read for it."""
    if not isinstance(rows, Outline):
        return next((place for place, row in enumerate(rows) if row.node.id == id_), None)
    target = Target.parse(id_)
    if target.section and target.document not in opened:
        return None
    node = workspace.find(id_)
    return rows.place_of(node) if node is not None else None


def lineage(rows: Sequence[TreeRow], place: int) -> Iterator[TreeRow]:
    """A row and its ancestors, innermost first."""
    while 0 <= place < len(rows):
        yield rows[place]
        place = rows[place].above


def trail(rows: Sequence[TreeRow], place: int) -> str:
    """The titles of a row's ancestors, from the top: `.context / TASKS`."""
    titles: list[str] = []
    while (place := rows[place].above) >= 0:
        label = rows[place].label
        titles.append(label.text if label is not None else rows[place].node.title)
    return " / ".join(reversed(titles))


def matches(found: Searchable, sought: Filter) -> list[TreeRow]:
    """The nodes whose path or heading matches a filter, best first, each once, as a flat list."""
    rows: dict[str, TreeRow] = {}
    for place in best([label for _, label in found], sought):
        node, label = found[place]
        rows.setdefault(node.id, TreeRow(node, 0, False, False, -1, label))
    return list(rows.values())


def searchable(root: Node, with_headings: bool = True) -> Searchable:
    """Every document by its path and the paths of links to it, entries also by title.

    `with_headings` adds headings and symbols. In a project with many plain files it leaves out theirs.
    """
    found: list[tuple[Node, SearchLabel]] = []
    plain = sum(each.source == PLAIN for each in root.documents())
    for node in root.walk():
        if node.kind != "document" or node.reference is None:
            continue
        path = node.reference.path
        found.append((node, SearchLabel.of(path)))
        found += [(node, _link(alias, path)) for alias in node.reference.aliases]
        if node.reference.source == "entries":
            found.append((node, SearchLabel.of_heading(path, node.title)))
        if with_headings and (plain <= _MOST_READ or node.reference.source != PLAIN) and not node.reference.large:
            found += [(child, SearchLabel.of_heading(path, child.title)) for child in _headings(node)]
    return found


def _link(alias: str, path: str) -> SearchLabel:
    """The label of a link: searched by its own path, shown with its target's path."""
    own, target = SearchLabel.of(alias), SearchLabel.of(path)
    return SearchLabel(f"{own.text} → {target.text}", own.folded, own.tail)


def _headings(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.part and child.part.level:
            yield child
            yield from _headings(child)
