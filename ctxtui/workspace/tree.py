"""The tree: the folders of a project as nodes, down to the nested sections of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import Literal

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.documents.listing import AGENTS, PLAIN
from ctxtui.core.text.markdown.document import Document, Part, may_have_sections
from ctxtui.core.text.markdown.scan import has_markdown_text
from ctxtui.core.text.metadata.reference import Reference

Kind = Literal["folder", "document", "part"]
TokensOf = Callable[["Node"], int]
DocumentOf = Callable[[Reference], Document]
Group = tuple[str, ...]


class TreeFolders:
    """The folders of a tree, by the names on the way to them, and its nodes, which are made on demand and kept."""

    def __init__(self, references: Iterable[Reference], tokens_of: TokensOf, document_of: DocumentOf) -> None:
        self.tokens_of, self.document_of = tokens_of, document_of
        self.inside: dict[Group, list[Group | Reference]] = {(): []}
        """The folders and documents of each folder, in the order of the references."""
        for reference in references:
            held = self.inside.get(reference.folders)
            if held is None:
                held = self._add_folder(reference.folders)
            held.append(reference)
        self._made: dict[Group, Node] = {}
        self._leaves: dict[Group, dict[str, Node]] = {}

    def _add_folder(self, group: Group) -> list[Group | Reference]:
        """Add a folder and its missing ancestors. Returns the list of its content."""
        added = self.inside[group] = []
        while group:
            above = group[:-1]
            siblings = self.inside.get(above)
            if siblings is not None:
                siblings.append(group)
                break
            self.inside[above] = [group]
            group = above
        return added

    @cached_property
    def groups(self) -> Mapping[str, Group]:
        """The folders by the ids of their nodes, without the root."""
        return {f"{'/'.join(group)}/": group for group in self.inside if group}

    @cached_property
    def counts_below(self) -> Mapping[Group, int]:
        """The number of folders and documents below each folder."""
        counts: dict[Group, int] = {}
        for group in sorted(self.inside, key=len, reverse=True):
            inside = self.inside[group]
            counts[group] = len(inside) + sum(counts[each] for each in inside if type(each) is tuple)
        return counts

    @cached_property
    def sources(self) -> Mapping[Group, str]:
        """The source of all documents below each folder, empty if there are several."""
        found: dict[Group, str] = {}
        for group in sorted(self.inside, key=len, reverse=True):
            names = {each.source if isinstance(each, Reference) else found[each] for each in self.inside[group]}
            found[group] = names.pop() if len(names) == 1 else ""
        return found

    def folder(self, group: Group, title: str = "") -> Node:
        """The node of a folder, the same on each call. The first call may give it a title."""
        node = self._made.get(group)
        if node is None:
            id_ = f"{'/'.join(group)}/" if group else ""
            node = self._made[group] = Node(id_, title or group[-1], "folder", self, group=group)
        return node

    def nodes(self, group: Group) -> tuple[Node, ...]:
        """The nodes directly in a folder, sorted by name. Documents have new nodes on each call."""
        inside = self.inside[group]
        nodes = (_leaf(each, self) if isinstance(each, Reference) else self.folder(each) for each in inside)
        return tuple(sorted(nodes, key=_sort_name))

    def leaf(self, reference: Reference) -> Node:
        """The node of a document, the same on each call."""
        group = reference.folders
        leaves = self._leaves.get(group)
        if leaves is None:
            leaves = {each.id: each for each in self.folder(group).children if each.kind == "document"}
            self._leaves[group] = leaves
        return leaves[reference.id]

    def documents(self, group: Group) -> Iterator[Reference]:
        """The references of every document below a folder."""
        waiting: list[Group | Reference] = [group]
        while waiting:
            each = waiting.pop()
            if isinstance(each, Reference):
                yield each
            else:
                waiting += reversed(self.inside[each])


def _leaf(reference: Reference, folders: TreeFolders) -> Node:
    name = reference.path.rpartition("/")[2]
    label = name if reference.source in (AGENTS, PLAIN) else name.removesuffix(".md")
    return Node(reference.id, label, "document", folders, reference)


def _sort_name(node: Node) -> str:
    """A document's file name, else the title."""
    return node.title if node.reference is None else node.reference.path.rpartition("/")[2]


class Node:
    """A row of the tree. `id` is valid for `Session.pick`, `tokens` are exact with the default tokenizer.

    A document's parts are read on first access to `children`. Folders count everything below them.
    """

    __slots__ = ("_children", "_folders", "group", "id", "kind", "part", "reference", "title")

    def __init__(
        self,
        id: str,  # noqa: A002 - the public name of the attribute
        title: str,
        kind: Kind,
        folders: TreeFolders,
        reference: Reference | None = None,
        part: Part | None = None,
        group: Group = (),
    ) -> None:
        self.id = id
        self.title = title
        self.kind: Kind = kind
        self.reference = reference
        self.part = part
        self.group = group if reference is None else reference.folders
        self._folders = folders
        self._children: tuple[Node, ...] | None = () if part is not None else None

    @property
    def tokens(self) -> int:
        """Exact tokens of this node's whole text, counted on demand, 0 if it cannot be read."""
        return self._folders.tokens_of(self)

    @property
    def children(self) -> tuple[Node, ...]:
        """The child nodes: folders and documents, or a document's parts, empty if unreadable."""
        if self._children is None:
            self._children = self._folders.nodes(self.group) if self.kind == "folder" else self._part_nodes()
        return self._children

    @property
    def only_folder(self) -> Node | None:
        """The folder within a folder that holds nothing else, None for others. No other node is made for this."""
        inside = self._folders.inside[self.group] if self.kind == "folder" else ()
        (inner,) = inside if len(inside) == 1 else (None,)
        return None if inner is None or isinstance(inner, Reference) else self._folders.folder(inner)

    @property
    def parts(self) -> tuple[Node, ...]:
        """A document's frontmatter, preamble and top sections or symbols."""
        return self.children if self.kind == "document" else ()

    @property
    def count_below(self) -> int:
        """The number of folders and documents below a folder."""
        return self._folders.counts_below[self.group] if self.kind == "folder" else 0

    @property
    def source(self) -> str:
        """The source of this document, or of all documents below, empty if there are several."""
        return self._folders.sources[self.group] if self.reference is None else self.reference.source

    @property
    def folder_ids(self) -> Set[str]:
        """The ids of all folders of the tree, without the root."""
        return self._folders.groups.keys()

    def folder(self, id_: str) -> Node | None:
        """The node of any folder of the tree, None for an unknown id."""
        group = () if not id_ else self._folders.groups.get(id_)
        return None if group is None else self._folders.folder(group)

    def leaf(self, reference: Reference) -> Node:
        """The node of any document of the tree."""
        return self._folders.leaf(reference)

    def _part_nodes(self) -> tuple[Node, ...]:
        """The nodes of a document's top parts with their nested ones. Empty if unreadable or not divided."""
        if self.reference is None or not may_have_sections(self.reference.path):
            return ()
        try:
            document = self._folders.document_of(self.reference)
        except ContextError:
            return ()
        if not has_markdown_text(document.path) and not any(part.level for part in document.parts):
            return ()
        nodes = [self._part(part) for part in document.parts]
        for node, part in zip(nodes, document.parts, strict=True):
            node._children = tuple(nodes[child] for child in part.children)
        return tuple(node for node, part in zip(nodes, document.parts, strict=True) if part.parent is None)

    def _part(self, part: Part) -> Node:
        return Node(str(Target(self.id, part.slug)), part.name, "part", self._folders, self.reference, part)

    def walk(self) -> Iterator[Node]:
        """This node and every folder and document below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.kind == "folder":
                waiting += reversed(node.children)

    def documents(self) -> Iterator[Reference]:
        """A document itself, or every document below a folder."""
        if self.kind == "folder":
            return self._folders.documents(self.group)
        return iter(() if self.reference is None or self.kind != "document" else (self.reference,))

    def documents_to_pick(self) -> list[Reference]:
        """The documents that a pick of this node picks: no large data below a folder that holds anything else."""
        found = list(self.documents())
        return [each for each in found if each.large is None] or found

    def __repr__(self) -> str:
        return f"Node({self.id!r}, {self.kind})"


def build_tree(title: str, references: Iterable[Reference], tokens_of: TokensOf, document_of: DocumentOf) -> Node:
    """The root of the tree of a workspace: each reference in its folder, sorted by name."""
    return TreeFolders(references, tokens_of, document_of).folder((), title)
