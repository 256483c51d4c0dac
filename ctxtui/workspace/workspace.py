"""The workspace: an immutable snapshot of an opened project."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ctxtui.agents import Agent, Load
from ctxtui.core.errors import ContextError, NotFound
from ctxtui.core.files.reader import Reader
from ctxtui.core.files.text import decode
from ctxtui.core.markdown.document import Document
from ctxtui.core.metadata.reference import Reference, encode_id
from ctxtui.core.notices import Notice, OnNotice, log_notice
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter
from ctxtui.workspace.tree import Node, grow

if TYPE_CHECKING:
    from ctxtui.session.session import Session


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of a project to list: ignored files or not, and path globs (gitignore syntax) to include or exclude.

    `table` is the table of coding agents whose files are recognized, if not the packaged one.
    """

    with_ignored: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    table: tuple[Agent, ...] | None = None


EVERYTHING: Final = Scope()


class Workspace:
    """An opened project at one point in time: its documents, its tree, its notices.

    Get one with `open`; `reload` gives a new snapshot and leaves this one unchanged.
    """

    def __init__(
        self,
        reader: Reader,
        references: Sequence[Reference],
        loads: Sequence[Load],
        notices: Sequence[Notice],
        paths: Sequence[str],
        scope: Scope = EVERYTHING,
    ) -> None:
        self.reader = reader
        self.references = tuple(references)
        self.loads = tuple(loads)
        self.notices = tuple(notices)
        self.paths = tuple(paths)
        """Every path that an agent may load, listed or not: ignored files can be imported."""
        self.scope = scope
        others = ((encode_id(path), reference) for reference in self.references for path in reference.aliases)
        self.by_id: Mapping[str, Reference] = dict(others) | {each.id: each for each in self.references}
        """The references by their ids, and by the paths of links that lead to them."""

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] = ".", *, scope: Scope = EVERYTHING, on_notice: OnNotice | None = None
    ) -> Workspace:
        """Open a project folder; metadata is read, bodies are not.

        Raises ContextError (invalid_request) if the path is not a readable folder.
        """
        from ctxtui.workspace.open_workspace import open_workspace  # noqa: PLC0415 - opening needs the class

        return open_workspace(path, scope, on_notice or log_notice)

    @property
    def root(self) -> Path:
        """The project's folder, resolved."""
        return self.reader.root.path

    @cached_property
    def tree(self) -> Node:
        """The root of the tree: agent files, `.context`, catalogs, entries, plain files."""
        return grow(self.root.name or "/", self.references, self._node_tokens, self.document)

    def warm(self) -> Workspace:
        """This snapshot, with its tree and node index built: takes tenths of a second for thousands of files."""
        for node in self._nodes.values():
            if node.kind == "folder":
                node.documents()
        return self

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return {node.id: node for node in self.tree.walk()}

    @cached_property
    def by_path(self) -> Mapping[str, Reference]:
        """The references by their paths below the root, those of links included."""
        return {path: reference for reference in self.references for path in reference.paths}

    def real(self, path: str) -> str:
        """The path a file has once links are followed; the path itself if it leads out of the project."""
        place = Path(os.path.realpath(self.root / path))
        return place.relative_to(self.root).as_posix() if place.is_relative_to(self.root) else path

    def text(self, path: str) -> str | None:
        """The text of a file by its path, listed or not; None if it cannot be read."""
        reference = self.by_path.get(path)
        try:
            if reference is not None:
                return self.document(reference).text
            return decode(self.reader.root.read(path).data, path)[0]
        except ContextError:
            return None

    def document(self, reference: Reference) -> Document:
        """The document behind a reference, as it is on disk; raises ContextError if it cannot be read."""
        return self.reader.document(reference)

    def find(self, id: str) -> Node | None:  # noqa: A002 - the public word for it
        """The node of a folder, document or part by its id, or that of a link to it; None if there is none."""
        node = self._nodes.get(self.canonical(id))
        if node is not None or "#" not in id:
            return node
        owner, _, slug = self.canonical(id).partition("#")
        document = self._nodes.get(owner)
        if document is None or document.kind != "document":
            return None
        found = (node for node in _parts(document) if node.part and node.part.slug == slug)
        return next(found, None)

    def canonical(self, id: str) -> str:  # noqa: A002
        """The id of a link's target document; any other id unchanged."""
        owner, hash_, slug = id.partition("#")
        reference = self.by_id.get(owner)
        return f"{reference.id}{hash_}{slug}" if reference else id

    def require(self, id: str) -> Reference:  # noqa: A002
        """The reference of a document by its id; raises NotFound with the nearest ids."""
        reference = self.by_id.get(id)
        if reference is None:
            raise NotFound(f"no document {id}", hint=near(id, self.by_id))
        return reference

    def tokens(self, reference: Reference, counter: TokenCounter) -> int:
        """The exact tokens of a document's whole file; raises ContextError if it cannot be read."""
        entry = self.reader.known(reference, counter)
        if entry is None:
            entry = self.reader.entry(self.document(reference), counter)
        return counter.total(entry.counts.units)

    def _node_tokens(self, node: Node) -> int:
        counter = get_counter(DEFAULT_TOKENIZER)
        if node.kind == "folder":
            return sum(child.tokens for child in node.children)
        if node.reference is None:
            return 0
        try:
            if node.part is None:
                return self.tokens(node.reference, counter)
            document = self.document(node.reference)
            position = document.position(node.part.slug)
            return 0 if position is None else self.reader.part_sizes(document, counter)[position]
        except ContextError:
            return 0

    def session(self, budget: int | str | None = None, tokenizer: str = DEFAULT_TOKENIZER) -> Session:
        """An empty selection on this snapshot, with a limit in tokens (`12k` works) and a tokenizer or model."""
        # The session is a layer above; this one exception spares users an import.
        from ctxtui.session.session import Session  # noqa: PLC0415

        return Session(self).with_budget(budget, tokenizer=tokenizer)

    async def resolve(self, session: Session) -> Session:
        """The session with its queries computed on this snapshot; picks that are gone stay as missing."""
        return await session.on(self).answered()

    def reload(self, *, scope: Scope | None = None, on_notice: OnNotice | None = None) -> Workspace:
        """A new snapshot of the same folder, sharing everything already read and counted."""
        from ctxtui.workspace.open_workspace import scan_workspace  # noqa: PLC0415 - as in `open`

        return scan_workspace(self.reader, scope or self.scope, on_notice or log_notice)


def _parts(node: Node) -> list[Node]:
    below = list(node.children)
    return below + [inner for child in below for inner in _parts(child)]


def near(name: str, known: Mapping[str, object] | Sequence[str]) -> str | None:
    """A hint with the names closest to a mistaken one; None if none is close."""
    tails: dict[str, list[str]] = {}
    for each in known:
        tails.setdefault(each.rpartition("/")[2].lower(), []).append(each)
    wanted = name.rpartition("/")[2].lower()
    close = [id_ for tail in get_close_matches(wanted, tails, n=3, cutoff=0.6) for id_ in tails[tail]]
    return f"did you mean {', '.join(close[:3])}?" if close else None
