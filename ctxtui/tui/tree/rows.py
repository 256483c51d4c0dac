"""The visible rows of the tree by open nodes, order and filter, and the steps of the filters by change and source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from heapq import heappop, heappush, nlargest
from typing import Final, Literal, NamedTuple

from ctxtui.core.disk.git.changes import Changes, WorkTree
from ctxtui.core.documents.listing import ENTRIES, PLAIN
from ctxtui.core.text.markdown.document import may_have_sections
from ctxtui.core.text.markdown.scan import has_headings
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Total, Totals
from ctxtui.session.session import Session
from ctxtui.tui.filtering import Filter, SearchLabel, best
from ctxtui.tui.tree.cells import part_size
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

Order = Literal["path", "tokens", "flat"]
ORDERS: Final[Mapping[Order, str]] = {"path": "by path", "tokens": "by tokens", "flat": "all files by tokens"}
"""The orders of the tree, with their words in the title."""

Searchable = Sequence[tuple[Node, SearchLabel]]
"""The nodes that a filter searches: documents by paths, sections by headings."""

_NOTHING = Total()
# Headings and symbols of this many plain files are searched, the largest: a thousand files take a second to read.
_MOST_READ: Final = 3_000
# Folders with less than this part of the project's tokens stay closed at first.
_SMALL: Final = 50


class TreeRow(NamedTuple):
    """A row of the tree. `above` is the position of its parent's row, -1 at the top.

    A row of a flat list has a `label`. A match of a filter cannot open, as `folds` is false. The `title` of a folder
    begins with the folders that hold nothing else: `src/main/java`.
    """

    node: Node
    depth: int = 0
    is_open: bool = False
    above: int = -1
    label: SearchLabel | None = None
    folds: bool = True
    title: str = ""

    @property
    def can_open(self) -> bool:
        """Whether the row opens. The path decides for a closed document, so that it need not be parsed."""
        node = self.node
        if not self.folds or node.kind == "folder":
            return self.folds
        if node.kind == "part" or self.is_open:
            return bool(node.children)
        return node.reference is not None and may_have_sections(node.reference.path)

    def shows(self, id_: str) -> bool:
        """Whether the row is that of a node, or of a folder in its title."""
        id_of_row = self.node.id
        is_above = id_.endswith("/") and id_of_row.startswith(id_) and len(id_of_row) - len(id_) < len(self.title)
        return id_of_row == id_ or is_above


def visible_rows(root: Node, opened: Set[str], totals: Totals, order: Order) -> list[TreeRow]:
    """The rows of a tree by path, by tokens within each folder, or as a flat list of documents by tokens."""
    rows: list[TreeRow] = []

    def add(nodes: Iterable[Node], depth: int, above: int) -> None:
        for each in nodes:
            node = _innermost(each)
            is_open = node.id in opened and bool(node.children)
            label = SearchLabel(node.reference.path, "", 0) if is_flat and not depth and node.reference else None
            title = f"{each.title}/{node.id[len(each.id) : -1]}" if node is not each else node.title
            rows.append(TreeRow(node, depth, is_open, above, label, title=title))
            if is_open:
                add(_sorted_children(node, totals, order), depth + 1, len(rows) - 1)

    is_flat = order == "flat"
    if is_flat:
        documents = sorted(root.documents(), key=lambda each: (-totals.get(each.id, _NOTHING).tokens, each.id))
        add(map(root.leaf, documents), 0, -1)
    else:
        add(_sorted_children(root, totals, order), 0, -1)
    return rows


def _innermost(node: Node) -> Node:
    """The node itself, or the first folder within it that holds anything but one folder."""
    while (inner := node.only_folder) is not None:
        node = inner
    return node


def _sorted_children(node: Node, totals: Totals, order: Order) -> Sequence[Node]:
    """The children of a node, those of a folder in the order. Sections stay as in the document."""
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
    """The ids of folders to open first: those with most tokens, while rows fit `height`. Small ones stay closed."""
    opened: set[str] = set()
    rows, closed = 0, [(-totals.get("", _NOTHING).tokens, "", root)]
    least = closed[0][0] // _SMALL
    while closed:
        size, _, node = heappop(closed)
        if size > least or (rows + len(node.children) > height and node is not root):
            continue
        opened.add(node.id)
        rows += len(node.children)
        for child in map(_innermost, node.children):
            if child.kind == "folder":
                heappush(closed, (-totals.get(child.id, _NOTHING).tokens, child.id, child))
    return frozenset(opened - {root.id})


def place_of(id_: str, rows: Sequence[TreeRow]) -> int | None:
    """The position of the row of a node, which may be a folder in the row's title. None if there is none."""
    return next((place for place, row in enumerate(rows) if row.shows(id_)), None)


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
        titles.append(label.text if label is not None else rows[place].title)
    return " / ".join(reversed(titles))


def matches(found: Searchable, sought: Filter) -> list[TreeRow]:
    """The nodes whose path or heading matches a filter, best first, each once, as a flat list."""
    return _flat(found[place] for place in best([label for _, label in found], sought))


def documents(nodes: Searchable) -> list[TreeRow]:
    """The documents among nodes, each once, as a flat list."""
    return _flat((node, label) for node, label in nodes if node.kind == "document")


def _flat(nodes: Iterable[tuple[Node, SearchLabel]]) -> list[TreeRow]:
    rows: dict[str, TreeRow] = {}
    for node, label in nodes:
        rows.setdefault(node.id, TreeRow(node, label=label, folds=False))
    return list(rows.values())


def searchable(root: Node, with_headings: bool = True) -> Searchable:
    """Every document by its path and the paths of links to it, entries also by title.

    `with_headings` adds headings and symbols, of plain files only for the largest `_MOST_READ`.
    """
    found: list[tuple[Node, SearchLabel]] = []
    plain = _plain(root) if with_headings else []
    read = {each.id for each in nlargest(_MOST_READ, plain, key=lambda each: each.stamp.size)}
    for node in root.walk():
        if node.kind != "document" or node.reference is None:
            continue
        path = node.reference.path
        found.append((node, SearchLabel.of(path)))
        found += [(node, _link(alias, path)) for alias in node.reference.aliases]
        if node.reference.source == ENTRIES:
            found.append((node, SearchLabel.of_heading(path, node.title)))
        is_other = node.reference.source != PLAIN and not node.reference.large
        if with_headings and (is_other or node.id in read):
            found += _headings(path, node)
    return found


def _plain(root: Node) -> list[Reference]:
    """All plain files except large data, for a search in their headings and symbols."""
    return [each for each in root.documents() if each.source == PLAIN and not each.large]


def _link(alias: str, path: str) -> SearchLabel:
    """The label of a link. A filter searches the path of the link, a row also shows the path of its target."""
    own, target = SearchLabel.of(alias), SearchLabel.of(path)
    return SearchLabel(f"{own.text} → {target.text}", own.folded, own.tail)


def _headings(path: str, document: Node) -> Iterator[tuple[Node, SearchLabel]]:
    """The headings and symbols of a document with labels. Equal titles are preceded by the titles above them."""
    found = list(_parts(document, path))
    named = Counter(node.title for node, _ in found)
    for node, above in found:
        yield node, SearchLabel.of_heading(above if named[node.title] > 1 else path, node.title)


def _parts(node: Node, above: str) -> Iterator[tuple[Node, str]]:
    """The sections and symbols below a node, each with the titles that lead to it. The first title is `above`."""
    inside = [child for child in node.children if child.part and child.part.level]
    # A title above the whole text says no more than its file.
    is_title = node.kind == "document" and len(inside) == 1 and _has_titles(node)
    for child in inside:
        yield child, above
        yield from _parts(child, above if is_title else f"{above} / {child.title}")


Step = str
"""`working`, `staged` or `since` for changed files, SECTIONS, or the name of a source."""
SECTIONS: Final[Step] = "sections"
MOST_SECTIONS: Final = 2_000
"""More rows than anybody reads."""
STEPS: Final[tuple[Step, ...]] = ("working", "staged", "since")


def changes_of(tree: WorkTree, step: Step | None) -> Changes:
    """Git's changes for a filter step: `staged`, `since` (the base), or for any other those of the working tree."""
    return {"staged": tree.staged, "since": tree.since or Changes("")}.get(step or "", tree.working)


def following(tree: WorkTree, step: Step | None, listed: Collection[str]) -> Step | None:
    """The next step that keeps any of the listed paths, None after the last step (all files)."""
    left = STEPS[STEPS.index(step) + 1 :] if step in STEPS else STEPS
    return next((each for each in left if not changes_of(tree, each).by_path.keys().isdisjoint(listed)), None)


def following_source(step: Step | None, workspace: Workspace) -> Step | None:
    """The next source with documents, None after the last (all files). Plain files are no step."""
    sources = [each for each in dict.fromkeys(each.source for each in workspace.references) if each != PLAIN]
    left = sources[sources.index(step) + 1 :] if step in sources else sources
    return next(iter(left), None)


def title(tree: WorkTree, step: Step, root: Node) -> str:
    """The words of a step in the title of the panel."""
    if step == "since":
        return f"since {changes_of(tree, step).base}"
    if step == SECTIONS and len(_plain(root)) > _MOST_READ:
        return f"sections of the {_MOST_READ:,} largest files"
    return {"working": "changed", "staged": "staged", SECTIONS: "sections by tokens"}.get(step) or f"only {step}"


def kept(nodes: Searchable, tree: WorkTree, step: Step) -> Searchable:
    """The nodes that a step keeps: sections, or files of a source or change."""
    if step == SECTIONS:
        return [(node, label) for node, label in nodes if node.kind == "part"]
    known = [(node, label, node.reference) for node, label in nodes if node.reference]
    if step not in STEPS:
        return [(node, label) for node, label, reference in known if reference.source == step]
    paths = changes_of(tree, step).by_path.keys()
    return [(node, label) for node, label, reference in known if not paths.isdisjoint(reference.paths)]


def nothing_changed(workspace: Workspace, base: str | None = None) -> str:
    since = f", none since {base}" if base else ""
    return "the project's folder is gone" if workspace.is_gone else f"no changed files{since}"


def largest_sections(nodes: Searchable, session: Session) -> list[TreeRow]:
    """The sections and symbols among nodes as rows of a flat list, largest first, at most MOST_SECTIONS."""
    tops = Counter(_document_below(node) for node, _ in nodes)

    def is_title(node: Node) -> bool:
        """Whether a node is the only top heading of a prose document, which says no more than its path."""
        document = _document_below(node)
        return document != "" and tops[document] == 1 and bool(node.children) and _has_titles(node)

    inner = (place for place, (node, _) in enumerate(nodes) if node.part and not is_title(node))
    sized = ((part_size(nodes[place][0], session) or 0, place) for place in inner)
    largest = nlargest(MOST_SECTIONS, sized, key=lambda each: (each[0], -each[1]))
    return [TreeRow(nodes[place][0], label=nodes[place][1], folds=False) for size, place in largest if size]


def _document_below(node: Node) -> str:
    """The id of a node's document if the node is a section without a parent section, else empty."""
    is_top = node.part is not None and node.part.level and node.part.parent is None
    return node.reference.id if is_top and node.reference else ""


def _has_titles(node: Node) -> bool:
    return node.reference is not None and has_headings(node.reference.path)
