"""Sums over agents' contexts: repeated texts, each file for every agent, what a touched file adds, longest chains."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ctxtui.agents.costs import AgentContext, Charge, Repeat
from ctxtui.agents.measure import size_of, with_configured_max
from ctxtui.agents.project.base import Base
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.globs import Trigger, is_literal
from ctxtui.agents.project.paths import Index, hits, is_used, path_from_root
from ctxtui.agents.table import load_table
from ctxtui.agents.types import AT_START, LISTED, MOMENTS, Agent, Limit, Row
from ctxtui.core.base.batches import grouped

AGAIN = "imported again"
LINK = "links to one file"
COPY = "identical text"
ENTRY = "listed again"


def find_repeats(
    charges: Sequence[Charge], read: Callable[[str], str | None], real: Callable[[str], str]
) -> Iterator[Repeat]:
    """Texts and list entries that charges at the start repeat. `read` gives texts, `real` tells links from copies."""
    at_start = [each for each in charges if each.moment in AT_START and each.tokens]
    # Only texts of one size are read and compared.
    for _, same_size in _alike(at_start, lambda charge: charge.tokens):
        for text, group in _alike(same_size, lambda charge: charge.text(read(charge.path) or "")):
            if text:
                paths = tuple(charge.path for charge in group)
                yield Repeat(paths, _kind_of_repeat(paths, real), sum(charge.tokens or 0 for charge in group[1:]))
    listed = [each for each in charges if each.entry and each.entry.tokens and each.moment != "touch"]
    for _, group in _alike(listed, lambda charge: charge.entry and (charge.entry.name, charge.entry.description)):
        yield Repeat(tuple(charge.path for charge in group), ENTRY, sum(each.start_tokens for each in group[1:]))


def _alike(charges: Iterable[Charge], key: Callable[[Charge], object]) -> Iterator[tuple[object, list[Charge]]]:
    """The charges with the same key, by key, if there are several."""
    groups = grouped((key(charge), charge) for charge in charges)
    return ((value, group) for value, group in groups.items() if len(group) > 1)


def _kind_of_repeat(paths: Sequence[str], real: Callable[[str], str]) -> str:
    if len(set(paths)) == 1:
        return AGAIN
    return LINK if len({real(path) for path in paths}) == 1 else COPY


@dataclass(frozen=True, slots=True)
class Cell:
    """The earliest moment at which one file reaches one agent, its tokens then, and its tokens at the start."""

    moment: str
    tokens: int | None
    start_tokens: int
    lost_tokens: int


@dataclass(frozen=True, slots=True)
class Line:
    """One file, with a cell for each agent, or None for an agent that never meets it."""

    path: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The agents, by id, and a line for every file that any agent meets, sorted by path."""

    agents: tuple[str, ...]
    lines: tuple[Line, ...]


def compare(contexts: Sequence[AgentContext], name_of: Callable[[str], str] = str) -> Matrix:
    """All files by all agents. Paths with the same `name_of` share a line of that name."""
    columns = [_column(context, name_of) for context in contexts]
    paths = sorted({path for column in columns for path in column})
    lines = tuple(Line(path, tuple(column.get(path) for column in columns)) for path in paths)
    return Matrix(tuple(context.agent.id for context in contexts), lines)


def _column(context: AgentContext, name_of: Callable[[str], str]) -> dict[str, Cell]:
    by_path = grouped((name_of(charge.path), charge) for charge in context.charges)
    return {path: _cell(charges) for path, charges in by_path.items()}


def _cell(charges: Sequence[Charge]) -> Cell:
    moment = min((charge.moment for charge in charges), key=MOMENTS.index)
    tokens = [_entering(charge) for charge in charges if charge.moment == moment]
    return Cell(
        moment,
        sum(each or 0 for each in tokens) if any(each is not None for each in tokens) else None,
        sum(charge.start_tokens for charge in charges),
        sum(charge.lost_tokens for charge in charges),
    )


def _entering(charge: Charge) -> int | None:
    """The tokens that enter at the moment of a charge. For a listed file, those of its list entry."""
    if charge.moment in LISTED:
        return charge.start_tokens
    return charge.touch_tokens if charge.moment == "touch" and charge.entry else charge.tokens


@dataclass(frozen=True, slots=True)
class Touched:
    """The further files that an agent reads when it touches a path.

    Those in `perhaps` depend on more than the path.
    """

    agent: Agent
    charges: tuple[Charge, ...]
    perhaps: tuple[Charge, ...] = ()

    @property
    def tokens(self) -> int:
        """The tokens that certainly add to the start."""
        return sum(charge.touch_tokens for charge in self.charges)


def what_if(contexts: Sequence[AgentContext], path: str) -> tuple[Touched, ...]:
    """The files that each agent would read when it reads or edits a path of the project, which need not exist.

    Files to install are left out. Raises ContextError (invalid_request) for a path outside the project.
    """
    place = path_from_root(path)
    return tuple(_touched(context, place) for context in contexts if not context.agent.installable)


def _touched(context: AgentContext, path: str) -> Touched:
    charges = [charge for charge in context.at("touch") if charge.path != path]
    whole = context.base.to_root(path)
    certain = tuple(charge for charge in charges if charge.scopes and Trigger(charge.scopes).fires(whole))
    return Touched(context.agent, certain, tuple(charge for charge in charges if not charge.scopes))


@dataclass(frozen=True, slots=True)
class Chain:
    """The instructions that one agent reads if it starts in a folder (`""`: the root), root first.

    `size` is in bytes, `root_size` is the size at the root. `limit` is the agent's maximum for a chain, if it has a
    maximum.
    """

    agent: Agent
    folder: str
    paths: tuple[str, ...]
    size: int
    root_size: int
    limit: Limit | None = None

    @property
    def lost(self) -> int:
        """The bytes at the end that never reach the model."""
        return max(self.size - self.limit.max, 0) if self.limit else 0


def longest_told(chains: Sequence[Chain], cwd: str = "", every: bool = False) -> tuple[str, ...]:
    """The agents, folders and sizes of chains over a limit, else of the longest, or with `every`, of all.

    A chain within its limit counts only if it is at least one percent longer than the root's.
    """
    others = (each for each in chains if each.folder != cwd)
    longer = (each for each in others if each.lost or each.size * 100 >= each.root_size * 101)
    ordered = sorted(longer, key=lambda chain: (-chain.lost, -chain.size))
    over = sum(each.lost > 0 for each in ordered)
    return tuple(map(_chain_in_words, ordered if every else ordered[: max(over, 1)]))


def _chain_in_words(chain: Chain) -> str:
    """A chain in words. Bytes are told only beside a limit in bytes, since starts are in tokens."""
    where = f"{chain.agent.name} in {chain.folder}/"
    if chain.limit and chain.lost:
        return f"{where}: {chain.size:,} bytes of instructions, over its limit of {chain.limit.max:,}"
    if not chain.root_size:
        return f"{where}, with instructions that the root lacks"
    return f"{where}, {chain.size / chain.root_size - 1:,.0%} more instructions than at the root"


def longest_chains(
    paths: Sequence[str],
    read: Callable[[str], str | None],
    table: Sequence[Agent] | None = None,
    base: str = "",
    is_repository: bool = True,
    real: Callable[[str], str] = str,
) -> tuple[Chain, ...]:
    """For every agent with instructions that grow with depth, the folder with the longest chain.

    Agents whose longest chain is at the root are left out. The time is proportional to the folders with such files,
    and `read` is called once for each folder. Only files that rows name plainly count, without imports. `paths` are
    below the repository's root, or seen from the folder `base` in it, which then is the root. Of paths with the same
    `real` one, only the last counts.
    """
    opened = Base(path_from_root(base))
    index = Index(map(opened.to_root, paths), is_repository=is_repository)
    files = Files(opened.from_root(read), index.paths)
    agents = load_table() if table is None else table
    found = (_longest(agent, index, files, opened, real) for agent in agents if not agent.installable)
    return tuple(chain for chain in found if chain.size > chain.root_size)


def _longest(agent: Agent, index: Index, files: Files, opened: Base, real: Callable[[str], str]) -> Chain:
    """The longest chain of an agent, that of the root if none is longer."""
    rows = [row for row in agent.rows if _is_of_chains(row)]
    root, below = opened.folder, f"{opened.folder}/" if opened.folder else ""
    folders = {folder for row in rows for folder in _folders_of(row, index, files) if folder.startswith(below)}
    if not is_used(agent, index, root):
        names = tuple(filter(is_literal, agent.detect))
        folders = {folder for folder in folders if any(index.find_in(name, folder) for name in names)}
    limit = next((each for row in rows if (each := row.limit("chain", "cut"))), None)
    chains = {
        folder: tuple({real(opened.to_folder(path)): path for path in _chain(rows, folder, index, files)}.values())
        for folder in (root, *folders)
    }
    sizes = {
        folder: sum(size_of(files.text(path) or "", "bytes") or 0 for path in chain)
        for folder, chain in chains.items()
    }
    folder = max(sorted(sizes), key=lambda folder: sizes[folder])
    limit = with_configured_max(limit, files) if limit else None
    chain = tuple(map(opened.to_folder, chains[folder]))
    return Chain(agent, opened.to_folder(folder), chain, sizes[folder], sizes[root], limit)


def _is_of_chains(row: Row) -> bool:
    is_at_start = any(case.moment in AT_START for case in row.load)
    return row.at == "up" and row.kind == "instructions" and is_at_start and all(map(is_literal, row.files))


def _folders_of(row: Row, index: Index, files: Files) -> Iterator[str]:
    """The folders that contain a file of a row. A chain grows only at these folders."""
    named = (name for name, _ in files.names((*row.also_in, *row.instead_in), ("",)))
    for pattern in filter(is_literal, (*row.files, *named)):
        yield from (path.removesuffix(pattern).rstrip("/") for path in index.find(pattern, below=True))


def _chain(rows: Sequence[Row], folder: str, index: Index, files: Files) -> Iterator[str]:
    found = [hit for row in rows for hit in hits(row, index, files, folder) if not hit.hidden_by]
    yield from dict.fromkeys(hit.path for hit in sorted(found, key=lambda hit: posixpath.join(hit.folder, "")))
