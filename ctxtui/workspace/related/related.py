"""The files related to a file, of four kinds, each with its exact tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from ctxtui.core.cancel import Check, go_on
from ctxtui.core.errors import ContextError
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.related.graph import Graph, graph_of
from ctxtui.workspace.related.tests import is_test
from ctxtui.workspace.workspace import Workspace

Kind = Literal["imports", "imported by", "test", "document"]

KINDS: Final[tuple[Kind, ...]] = ("imports", "imported by", "test", "document")
"""The kinds, in the order in which they are shown."""

NEEDS: Final = "their imports and what imports them, as a grammar cannot be loaded: install ctxtui again"
"""The hint for a user who looks for related files without a grammar."""


@dataclass(frozen=True, slots=True)
class Related:
    """A file that is related to another, and the tokens of the whole file; None if it cannot be read.

    `is_named` says that it is a test called after the other.
    """

    kind: Kind
    reference: Reference
    tokens: int | None
    is_named: bool = False

    @property
    def id(self) -> str:
        """What can be picked."""
        return self.reference.id


def related(
    workspace: Workspace,
    id: str,  # noqa: A002 - the public word for it
    counter: TokenCounter | None = None,
    check: Check = go_on,
) -> tuple[Related, ...]:
    """The files related to a document, each once: what it imports, what imports it, its tests, documents naming it.

    Imports are those of Python, TypeScript and JavaScript, and only with their grammars. The first ask of a snapshot
    reads its code and its Markdown; `check` is called for every file, an exception ends it. Raises NotFound.
    """
    reference = workspace.require(workspace.target(id).document)
    counter = counter or get_counter()
    graph = graph_of(workspace, check)
    kinds = dict(_found(graph, reference.path))
    named = set(graph.tests.get(reference.path, ()))
    rows = []
    for path, kind in kinds.items():
        check()
        each = workspace.by_path[path]
        rows.append(Related(kind, each, _tokens(workspace, each, counter), path in named))
    rows.sort(key=lambda each: (KINDS.index(each.kind), not each.is_named))
    return tuple(rows)


def _found(graph: Graph, path: str) -> Iterator[tuple[str, Kind]]:
    """The related paths, the best kind of each last."""
    for document in graph.naming(path):
        yield document, "document"
    importers = graph.importers.get(path, ())
    in_tests = is_test(path)
    for each in importers:
        yield each, "test" if is_test(each) and not in_tests else "imported by"
    for each in graph.tests.get(path, ()):
        yield each, "test"
    for each in graph.imports.get(path, ()):
        yield each, "imports"


def _tokens(workspace: Workspace, reference: Reference, counter: TokenCounter) -> int | None:
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None
