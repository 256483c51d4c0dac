"""The folder where an agent starts with the longest instructions: files that add up along its path."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxtui.agents.base import Base
from ctxtui.agents.files import Files
from ctxtui.agents.globs import is_literal
from ctxtui.agents.limits import as_set, size_of
from ctxtui.agents.paths import Index, hits, inner, is_found
from ctxtui.agents.table import load_table
from ctxtui.agents.types import AT_START, Agent, Limit, Row


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
    """The agents, folders and sizes in words: chains over a limit, otherwise the longest, or with `every`, all.

    Chains of the folder `cwd` are left out.
    """
    ordered = sorted((each for each in chains if each.folder != cwd), key=lambda chain: (-chain.lost, -chain.size))
    over = sum(each.lost > 0 for each in ordered)
    return tuple(
        f"{each.agent.name} in {each.folder}/: {each.size:,} bytes of instructions"
        + (f", over its limit of {each.limit.max:,}" if each.limit and each.lost else "")
        for each in (ordered if every else ordered[: max(over, 1)])
    )


def longest_chains(
    paths: Sequence[str],
    read: Callable[[str], str | None],
    table: Sequence[Agent] | None = None,
    base: str = "",
    is_repository: bool = True,
) -> tuple[Chain, ...]:
    """For every agent with instructions that grow with depth, the folder with the longest chain.

    Agents whose longest chain is at the root are left out. The time is proportional to the folders with such files,
    and `read` is called once for each folder. Only files that rows name plainly count, without imports. `paths` are
    below the repository's root, or seen from the folder `base` in it, which then is the root.
    """
    seen = Base(inner(base))
    index = Index(map(seen.to_root, paths), is_repository=is_repository)
    files = Files(seen.from_root(read), index.paths)
    agents = load_table() if table is None else table
    found = (_longest(agent, index, files, seen) for agent in agents if not agent.installable)
    return tuple(chain for chain in found if chain.size > chain.root_size)


def _longest(agent: Agent, index: Index, files: Files, seen: Base) -> Chain:
    rows = [row for row in agent.rows if _grows(row)]
    root, below = seen.folder, f"{seen.folder}/" if seen.folder else ""
    folders = {folder for row in rows for folder in _folders(row, index, files) if folder.startswith(below)}
    if not is_found(agent, index, root):
        folders = {folder for folder in folders if _is_named(agent, index, folder)}
    limit = next((each for row in rows if (each := row.limit("chain", "cut"))), None)
    chains = {folder: tuple(_chain(rows, folder, index, files)) for folder in (root, *folders)}
    sizes = {
        folder: sum(size_of(files.text(path) or "", "bytes") or 0 for path in chain)
        for folder, chain in chains.items()
    }
    folder = max(sorted(sizes), key=lambda folder: sizes[folder])
    limit = as_set(limit, files) if limit else None
    chain = tuple(map(seen.to_folder, chains[folder]))
    return Chain(agent, seen.to_folder(folder), chain, sizes[folder], sizes[root], limit)


def _is_named(agent: Agent, index: Index, folder: str) -> bool:
    return any(index.find_in(name, folder) for name in filter(is_literal, agent.detect))


def _grows(row: Row) -> bool:
    is_at_start = any(case.moment in AT_START for case in row.load)
    return row.at == "up" and row.kind == "instructions" and is_at_start and all(map(is_literal, row.files))


def _folders(row: Row, index: Index, files: Files) -> Iterator[str]:
    """The folders that contain a file of a row. A chain grows only at these folders."""
    named = (name for name, _ in files.names((*row.also_in, *row.instead_in), ("",)))
    for pattern in filter(is_literal, (*row.files, *named)):
        yield from (path.removesuffix(pattern).rstrip("/") for path in index.find(pattern, below=True))


def _chain(rows: Sequence[Row], folder: str, index: Index, files: Files) -> Iterator[str]:
    found = [hit for row in rows for hit in hits(row, index, files, folder) if not hit.hidden_by]
    yield from dict.fromkeys(hit.path for hit in sorted(found, key=lambda hit: posixpath.join(hit.folder, "")))
