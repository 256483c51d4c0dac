"""What coding agents read of a project before anything is asked, and which files cost the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxtui.agents import Load, load_table
from ctxtui.core.errors import ContextError
from ctxtui.core.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

_AT_START = ("start", "configured")


@dataclass(frozen=True, slots=True)
class AgentStart:
    """The documents that one agent reads in full at the start, their tokens, and what it will not read."""

    name: str
    ids: tuple[str, ...]
    tokens: int
    cut: tuple[str, ...] = ()


def agents_at_start(workspace: Workspace) -> dict[str, int]:
    """For every document, how many agents read it in full at the start."""
    readers: dict[str, set[str]] = {}
    for load in workspace.loads:
        reference = workspace.by_path.get(load.path)
        if reference is not None and load.moment in _AT_START:
            readers.setdefault(reference.id, set()).add(load.agent)
    return {id_: len(agents) for id_, agents in readers.items()}


def agent_starts(workspace: Workspace, counter: TokenCounter) -> list[AgentStart]:
    """Every agent found in the project with its exact start cost, the dearest first."""
    loads: dict[str, list[Load]] = {}
    for load in workspace.loads:
        if load.moment in _AT_START:
            loads.setdefault(load.agent_name, []).append(load)
    starts = [_start(workspace, counter, name, each) for name, each in loads.items()]
    return sorted(starts, key=lambda start: (-start.tokens, start.name))


def _start(workspace: Workspace, counter: TokenCounter, name: str, loads: list[Load]) -> AgentStart:
    references = [workspace.by_path[load.path] for load in loads if load.path in workspace.by_path]
    tokens = sum(_tokens(workspace, reference, counter) for reference in references)
    cut = tuple(text for load in loads for text in _cuts(workspace, load))
    return AgentStart(name, tuple(dict.fromkeys(each.id for each in references)), tokens, cut)


def _tokens(workspace: Workspace, reference: Reference, counter: TokenCounter) -> int:
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return 0


def _cuts(workspace: Workspace, load: Load) -> Iterator[str]:
    """Files that pass a hard limit of the agent by their size in bytes alone."""
    reference = workspace.by_path.get(load.path)
    rows = (row for agent in load_table() if agent.id == load.agent for row in agent.rows if row.id == load.row)
    for limit in next((row.limits for row in rows), ()):
        too_large = reference is not None and reference.stamp.size > limit.max
        if limit.hard and limit.unit == "bytes" and too_large and reference is not None:
            yield f"{load.path}: {reference.stamp.size - limit.max:,} bytes over {limit.max:,}, {limit.effect}"


def largest(workspace: Workspace, counter: TokenCounter, count: int = 8) -> list[tuple[Reference, int]]:
    """The context files with the most tokens, plain files only where there is nothing else."""
    known = [
        (reference, counter.total(entry.counts.units))
        for reference in workspace.references
        if (entry := workspace.reader.known(reference, counter)) is not None
    ]
    context = [row for row in known if row[0].source != "files"] or known
    return sorted(context, key=lambda row: (-row[1], row[0].id))[:count]
