"""The workspace: an immutable snapshot of an opened project."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Set
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ctxtui.agents.project.base import is_above
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.notices import OnNotice, log_notice
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import near
from ctxtui.core.disk.copies import Copy, copy_around
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.documents.reader import MOST_WORKERS, Reader
from ctxtui.core.text.decode import decode, decode_as_utf8, is_marked
from ctxtui.core.text.metadata.reference import Reference, encode_id
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter
from ctxtui.workspace.opening.scan import open_reader, scan
from ctxtui.workspace.opening.scan_cache import Scan
from ctxtui.workspace.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from ctxtui.core.text.markdown.document import Document
    from ctxtui.session.session import Session
    from ctxtui.workspace.tree import Node

Value = TypeVar("Value")


class Workspace:
    """An opened project at one point in time: its documents, tree and notices. `reload` gives a new snapshot."""

    def __init__(self, reader: Reader, found: Scan, scope: Scope) -> None:
        self.reader, self.scope = reader, scope
        self.references = tuple(found.references)
        self.loads = tuple(found.loads)
        self.notices = tuple(found.notices)
        self.paths = tuple(found.paths)
        """Every path that an agent may load, listed or not, because ignored files can be imported."""
        self.above = found.above
        """The files of the repository around the folder that agents started in it also read."""
        self.home = found.home
        """The user's own files that agents read in every project, empty unless in scope."""
        self.scan_id = found.scan_id
        """The versions of all files of this snapshot except `home`, empty if an undetected change is possible."""
        self._once: dict[Hashable, Any] = {}

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] = ".",
        *,
        scope: Scope = EVERYTHING,
        on_notice: OnNotice | None = None,
        hands: int = MOST_WORKERS,
    ) -> Workspace:
        """Open a project folder. Reads metadata, not bodies.

        `hands` is the maximum number of counting threads. Raises ContextError (invalid_request) if the path is not
        a readable folder.
        """
        on_notice = on_notice or log_notice
        reader = open_reader(path, on_notice, hands)
        return cls(reader, scan(reader, scope, on_notice), scope)

    @cached_property
    def by_id(self) -> Mapping[str, Reference]:
        """The references by their ids, and by the ids of links to them."""
        return {**self.links, **{each.id: each for each in self.references}}

    @cached_property
    def links(self) -> Mapping[str, Reference]:
        """The references by the ids of links to them, except ids of documents."""
        others = {encode_id(path): reference for reference in self.references for path in reference.aliases}
        own = {each.id for each in self.references} if others else ()
        return {id_: reference for id_, reference in others.items() if id_ not in own}

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result of `make`, kept in this snapshot under a key.

        Two threads that ask at once compute it twice. Keys are shared by all callers.
        """
        if key not in self._once:
            self._once[key] = make()
        value: Value = self._once[key]
        return value

    def readers_at_start(self) -> dict[str, int]:
        """The number of agents that read each document in full at the start, by document id."""
        from ctxtui.agents.types import AT_START  # noqa: PLC0415 - a list needs no table of agents

        readers: dict[str, set[str]] = {}
        for load in self.loads:
            reference = self.by_path.get(load.path)
            if reference is not None and load.moment in AT_START:
                readers.setdefault(reference.id, set()).add(load.agent)
        return {id_: len(agents) for id_, agents in readers.items()}

    @property
    def root(self) -> Path:
        """The resolved path of the opened folder."""
        return self.reader.root.path

    @property
    def is_gone(self) -> bool:
        """Whether the project's folder was deleted or moved since it was opened."""
        return not is_folder(self.root)

    @cached_property
    def copy(self) -> Copy | None:
        """The copy of a remote project that contains this folder, or None."""
        return copy_around(self.root)

    @cached_property
    def tree(self) -> Node:
        """The root of the tree: the folders of the project with their documents."""
        from ctxtui.workspace.tree import build_tree  # noqa: PLC0415 - a list needs no tree

        return build_tree(self.root.name or "/", self.references, self._node_tokens, self.document)

    def warm(self) -> Workspace:
        """Compute what a tree shows, so that later access is fast, and return this snapshot.

        Takes tenths of a second for a hundred thousand files.
        """
        _ = self.by_id, self.tree.folder_ids, self.tree.count_below, self.copy
        return self

    @cached_property
    def by_path(self) -> Mapping[str, Reference]:
        """The references by their paths below the root, including links."""
        return {path: reference for reference in self.references for path in reference.paths}

    @cached_property
    def folders(self) -> Set[str]:
        """The paths of all folders with documents in or below them, without `/` at the end and without the root."""
        found: set[str] = set()
        for path in self.by_path:
            place = path.rfind("/")
            while place > 0 and (folder := path[:place]) not in found:
                found.add(folder)
                place = path.rfind("/", 0, place)
        return found

    def real(self, path: str) -> str:
        """The path of a file after resolving links, unchanged if it leads out of the project.

        Paths `above` and at `home` are resolved there.
        """
        if is_above(path):
            return self.above.real(path)
        if path in self.home.versions:
            return self.home.real(path)
        place = Path(os.path.realpath(self.root / path))
        return place.relative_to(self.root).as_posix() if place.is_relative_to(self.root) else path

    def text(self, path: str) -> str | None:
        """The text of a file by its path, listed or not, `above` or at `home`. None if it cannot be read."""
        if is_above(path):
            return self.above.text(path)
        if path in self.home.versions:
            return self.home.text(path)
        reference = self.by_path.get(path)
        try:
            if reference is not None:
                return self.document(reference).text
            return decode(self.reader.root.read(path).data, path)[0]
        except ContextError:
            return None

    def text_for_agents(self, path: str) -> str | None:
        """The text of a file as agents read it: a byte order mark stays and means UTF-8. None if unreadable."""
        if not self.begins_with_mark(path):
            return self.text(path)
        try:
            return decode_as_utf8(self.reader.root.read(path).data, path)
        except ContextError:
            return None

    def begins_with_mark(self, path: str) -> bool:
        """Whether a Markdown file or a file without an extension begins with a byte order mark.

        Reads four bytes, once per version. False for files that are not listed and for other names.
        """
        from ctxtui.core.text.markdown.scan import is_markdown  # noqa: PLC0415 - a list of files asks for no text

        has_name = is_markdown(path) or "." not in path.rpartition("/")[2][1:]
        reference = self.by_path.get(path) if has_name else None
        if reference is None:
            return False

        def marked() -> bool:
            try:
                with self.reader.root.opened(path) as file:
                    return is_marked(os.read(file, 4))
            except (ContextError, OSError):
                return False

        return bool(self.reader.derived.get(("marked", path, reference.stamp), marked))

    def document(self, reference: Reference) -> Document:
        """The document as it is on disk, cached by version. Raises ContextError if it cannot be read."""
        return self.reader.document(reference)

    def find(self, id: str) -> Node | None:  # noqa: A002 - the public word for it
        """The node of a folder, document or part by its id or a link's id, or None."""
        target = self.target(id)
        reference = self.by_id.get(target.document)
        if reference is None:
            return self.tree.folder(target.document)
        node = self.tree.leaf(reference)
        if not target.section:
            return node
        found = (part for part in _parts(node) if part.part and part.part.slug == target.section)
        return next(found, None)

    def target(self, id: str) -> Target:  # noqa: A002
        """An id as a target, with the document's own id for that of a link. The document need not exist."""
        target = Target.parse(id)
        reference = self.by_id.get(target.document)
        return Target(reference.id, target.section) if reference else target

    def require(self, id: str) -> Reference:  # noqa: A002
        """The reference of a document by its id. Raises NotFound with the nearest ids."""
        reference = self.by_id.get(id)
        if reference is None:
            raise NotFound(f"no document {id}", hint=near(id, self.by_id))
        return reference

    def tokens(self, reference: Reference, counter: TokenCounter) -> int:
        """The tokens of a document's whole file, counted if the ledger does not know them.

        Raises ContextError if it cannot be read.
        """
        size = self.reader.known_size(reference, counter)
        units = self.reader.entry(self.document(reference), counter).counts.units if size is None else size.units
        return counter.total(units)

    def tokens_or_none(self, reference: Reference, counter: TokenCounter) -> int | None:
        """The tokens of a document's whole file, None if it cannot be read."""
        try:
            return self.tokens(reference, counter)
        except ContextError:
            return None

    def part_tokens(self, reference: Reference, slug: str, counter: TokenCounter) -> int | None:
        """The tokens of a part of a document with its nested parts, None if the document has no such part.

        Raises ContextError if it cannot be read.
        """
        document = self.document(reference)
        position = document.position(slug)
        return None if position is None else self.reader.part_sizes(document, counter)[position]

    def _node_tokens(self, node: Node) -> int:
        counter = get_counter(DEFAULT_TOKENIZER)
        if node.kind == "folder":
            return sum(child.tokens for child in node.children)
        if node.reference is None:
            return 0
        if node.part is None:
            return self.tokens_or_none(node.reference, counter) or 0
        try:
            return self.part_tokens(node.reference, node.part.slug, counter) or 0
        except ContextError:
            return 0

    def session(self, budget: int | str | None = None, tokenizer: str = DEFAULT_TOKENIZER) -> Session:
        """An empty selection on this snapshot, with a limit in tokens (`12k` works) and a tokenizer or model."""
        # The session is a layer above. This exception saves users an import.
        from ctxtui.session.session import Session  # noqa: PLC0415

        return Session(self).with_budget(budget, tokenizer=tokenizer)

    async def resolve(self, session: Session) -> Session:
        """The session with its queries computed on this snapshot. Missing picks stay."""
        return await session.on(self).answered()

    def reload(self, *, scope: Scope | None = None, on_notice: OnNotice | None = None) -> Workspace:
        """A new snapshot of the same folder, which shares all cached texts and counts."""
        scope = scope or self.scope
        return Workspace(self.reader, scan(self.reader, scope, on_notice or log_notice), scope)


def _parts(node: Node) -> list[Node]:
    below = list(node.children)
    return below + [inner for child in below for inner in _parts(child)]
