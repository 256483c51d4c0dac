"""The tree: every source of a workspace as nodes, down to the nested sections of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal

from ctxtui.core.code.languages import has_grammar
from ctxtui.core.errors import ContextError
from ctxtui.core.markdown.document import Document, Part
from ctxtui.core.markdown.scan import is_outlined
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.target import Target

Kind = Literal["folder", "document", "part"]
TokensOf = Callable[["Node"], int]
DocumentOf = Callable[[Reference], Document]


class Node:
    """A row of the tree; `id` is what `Session.pick` accepts, `tokens` exact with the default tokenizer.

    A document's parts are read when `children` is first asked for. Folders count everything below them.
    """

    __slots__ = (
        "__dict__",
        "_children",
        "_document_of",
        "_tokens_of",
        "id",
        "kind",
        "part",
        "reference",
        "title",
    )

    def __init__(
        self,
        id: str,  # noqa: A002 - the public name of the attribute
        title: str,
        kind: Kind,
        tokens_of: TokensOf,
        document_of: DocumentOf,
        reference: Reference | None = None,
        part: Part | None = None,
    ) -> None:
        self.id = id
        self.title = title
        self.kind: Kind = kind
        self.reference = reference
        self.part = part
        self._tokens_of = tokens_of
        self._document_of = document_of
        self._children: list[Node] = []

    @property
    def tokens(self) -> int:
        """Exact tokens of this node's whole text, counted now if need be; 0 if it cannot be read."""
        return self._tokens_of(self)

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below: folders and documents, or a document's parts; empty if it cannot be read."""
        return self.parts if self.kind == "document" else tuple(self._children)

    @cached_property
    def parts(self) -> tuple[Node, ...]:
        """A document's frontmatter, preamble and top sections or symbols."""
        if self.reference is None or not (is_outlined(self.reference.path) or has_grammar(self.reference.path)):
            return ()
        try:
            document = self._document_of(self.reference)
        except ContextError:
            return ()
        if not is_outlined(document.path) and not any(part.level for part in document.parts):
            return ()
        nodes = [self._part(part) for part in document.parts]
        for node, part in zip(nodes, document.parts, strict=True):
            node._children = [nodes[child] for child in part.children]
        return tuple(node for node, part in zip(nodes, document.parts, strict=True) if part.parent is None)

    def _part(self, part: Part) -> Node:
        id_ = str(Target(self.id, part.slug))
        return Node(id_, part.name, "part", self._tokens_of, self._document_of, self.reference, part)

    def walk(self) -> Iterator[Node]:
        """This node and every folder and document below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.kind == "folder":
                waiting += reversed(node._children)

    def documents(self) -> Iterator[Reference]:
        """The references of every document at or below this node."""
        return iter(self._documents)

    @cached_property
    def _documents(self) -> tuple[Reference, ...]:
        return tuple(node.reference for node in self.walk() if node.kind == "document" and node.reference)

    def __repr__(self) -> str:
        return f"Node({self.id!r}, {self.kind})"


def grow(title: str, references: Iterable[Reference], tokens_of: TokensOf, document_of: DocumentOf) -> Node:
    """The tree of a workspace: references in their groups, in the order they come."""
    root = Node("", title, "folder", tokens_of, document_of)
    folders: dict[tuple[str, ...], Node] = {(): root}

    def folder(group: tuple[str, ...]) -> Node:
        if group not in folders:
            node = Node(f"{'/'.join(group)}/", group[-1], "folder", tokens_of, document_of)
            folder(group[:-1])._children.append(node)
            folders[group] = node
        return folders[group]

    for reference in references:
        label = reference.path.rpartition("/")[2]
        if reference.source not in ("agents", "files"):
            label = reference.title if reference.source == "entries" else label.removesuffix(".md")
        leaf = Node(reference.id, label, "document", tokens_of, document_of, reference)
        folder(reference.group)._children.append(leaf)
    return root
