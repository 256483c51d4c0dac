"""Token sums by source, folder, strategy and agent, and as a tree of shares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ctxtui.agents import AgentContext
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.costs import context_of, sizes_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.documents.listing import SOURCES
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.shares import Share, in_order, main_source
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.workspace.tree import Node

_IN_FULL = (*AT_START, "touch")
_UNASKED = (*_IN_FULL, *LISTED)

MOST_DIVIDED = 100
"""Only this many files of the tree are divided into sections."""

TotalKind = Literal["source", "type", "folder", "strategy", "agent"]


@dataclass(frozen=True, slots=True)
class TotalRow:
    """A sum: the number of files, their tokens, and their share of the context (0 to 1).

    The tokens of an agent are its start. Agents share files, so their shares do not add up to 1.
    """

    kind: TotalKind
    name: str
    files: int
    tokens: int
    share: float


@dataclass(frozen=True, slots=True)
class Totals:
    """All sums, largest first within a kind, and the total of the context.

    `unasked` are the tokens, `unasked_files` the files, that enter an agent's context without a request: at the
    start, with a touched file, or through another loader. A skill or command counts with its line in the list. Other
    text enters only if it is called, installed or linked.
    """

    rows: tuple[TotalRow, ...]
    files: int
    tokens: int
    unasked_files: int = 0
    unasked: int = 0

    def of(self, kind: TotalKind, count: int | None = None) -> tuple[TotalRow, ...]:
        """The rows of a kind, largest first, at most `count`."""
        return tuple(row for row in self.rows if row.kind == kind)[:count]


def totals(workspace: Workspace, counter: TokenCounter, agents: Sequence[AgentContext]) -> Totals:
    """The sums of a snapshot's context files, without unreadable files."""
    sizes = list(sizes_of(context_of(workspace.references, agents), workspace, counter))
    whole = sum(tokens for _, tokens in sizes)
    rows = [row for kind, name in _NAME_BY_KIND.items() for row in _rows(kind, name, sizes, whole)]
    starts = sorted((_start_row(each, whole) for each in agents), key=lambda row: (-row.tokens, row.name))
    entering = _entering(agents)
    unasked = [found for each, tokens in sizes if (found := _unasked(each, tokens, entering))]
    return Totals((*rows, *starts), len(sizes), whole, len(unasked), sum(unasked))


_NAME_BY_KIND: Mapping[TotalKind, Callable[[Reference], str | None]] = {
    "source": lambda each: each.source,
    "type": lambda each: "texts" if is_markdown(each.path) else "other files",
    "folder": lambda each: "/".join(each.folders) or ".",
    "strategy": lambda each: each.strategy,
}


def _entering(agents: Sequence[AgentContext]) -> dict[str, int]:
    """For each path, the most tokens that any agent of the project loads without a request."""
    most: dict[str, int] = {}
    for context in agents:
        for charge in () if context.agent.installable else context.charges:
            # A list shows one line of a file.
            tokens = charge.entry.tokens if charge.entry else charge.tokens if charge.moment in _IN_FULL else 0
            if charge.moment in _UNASKED and tokens:
                most[charge.path] = max(most.get(charge.path, 0), tokens)
    return most


def _unasked(reference: Reference, tokens: int, entering: Mapping[str, int]) -> int:
    if SOURCES[reference.source].has_loader:
        return tokens
    return max((entering.get(path, 0) for path in reference.paths), default=0)


def share_tree(workspace: Workspace, counter: TokenCounter, agents: Sequence[AgentContext]) -> Share:
    """The context as nested shares, largest first. The 100 largest files are divided into sections."""
    context = context_of(workspace.references, agents)
    sizes = {each.id: tokens for each, tokens in sizes_of(context, workspace, counter)}
    largest = frozenset(sorted(sizes, key=lambda id_: (-sizes[id_], id_))[:MOST_DIVIDED])

    def share(node: Node) -> Share:
        if node.kind == "document":
            parts = _section_shares(node, workspace, counter) if node.id in largest else ()
            source = node.reference.source if node.reference else ""
            return Share(node.id, node.title, sizes[node.id], in_order(parts), source)
        inner = (child for child in node.children if any(each.id in sizes for each in child.documents()))
        children = in_order(map(share, inner))
        return Share(node.id, node.title, sum(child.tokens for child in children), children, main_source(children))

    return share(workspace.tree)


def _rows(
    kind: TotalKind, name_of: Callable[[Reference], str | None], sizes: Iterable[tuple[Reference, int]], whole: int
) -> list[TotalRow]:
    """The rows of a kind, largest first. Files without a name of this kind are left out."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for each, tokens in sizes:
        if name := name_of(each):
            found[name].append(tokens)
    sums = ((name, len(each), sum(each)) for name, each in found.items())
    rows = [TotalRow(kind, name, files, tokens, _ratio(tokens, whole)) for name, files, tokens in sums]
    return sorted(rows, key=lambda row: (-row.tokens, row.name))


def _start_row(context: AgentContext, whole: int) -> TotalRow:
    files = {charge.path for charge in context.charges if charge.start_tokens}
    return TotalRow("agent", context.agent.id, len(files), context.start_tokens, _ratio(context.start_tokens, whole))


def _ratio(tokens: int, whole: int) -> float:
    return tokens / whole if whole else 0.0


def with_sections(share: Share, workspace: Workspace, counter: TokenCounter) -> Share:
    """The share of a file with its sections as children. Any other share stays unchanged."""
    node = workspace.find(share.id)
    if share.children or node is None or node.kind != "document":
        return share
    return replace(share, children=in_order(_section_shares(node, workspace, counter)))


def _section_shares(node: Node, workspace: Workspace, counter: TokenCounter) -> Iterator[Share]:
    """The sections of a file as nested shares, none for an unreadable file."""
    if node.reference is None or not node.parts:
        return
    try:
        document = workspace.document(node.reference)
        tokens = workspace.reader.part_sizes(document, counter)
    except ContextError:
        return
    sizes = {part.slug: size for part, size in zip(document.parts, tokens, strict=True)}
    yield from (_section_share(part, sizes) for part in node.parts)


def _section_share(node: Node, sizes: dict[str, int]) -> Share:
    slug = node.part.slug if node.part else ""
    source = node.reference.source if node.reference else ""
    inner = in_order(_section_share(child, sizes) for child in node.children)
    return Share(node.id, node.title, sizes.get(slug, 0), inner, source)
