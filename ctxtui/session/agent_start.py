"""What coding agents have in context at session start, and which files cost the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ctxtui.agents import AgentContext, audit_agents
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.core.errors import ContextError
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.wording import plural
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AgentStart:
    """The context of one agent at the start: the documents it reads in full, all tokens, and the cuts by limits.

    The tokens are those of exactly the text that it loads, including lists of names and descriptions.
    """

    name: str
    ids: tuple[str, ...]
    tokens: int
    cut: tuple[str, ...] = ()


def agents_at_start(workspace: Workspace) -> dict[str, int]:
    """For every document, how many agents read it in full at the start."""
    readers: dict[str, set[str]] = {}
    for load in workspace.loads:
        reference = workspace.by_path.get(load.path)
        if reference is not None and load.moment in AT_START:
            readers.setdefault(reference.id, set()).add(load.agent)
    return {id_: len(agents) for id_, agents in readers.items()}


def agent_starts(
    workspace: Workspace, counter: TokenCounter, window: int | None = None, cwd: str = ""
) -> list[AgentStart]:
    """Every agent found in the project with its exact start cost, highest first; reads and counts files."""
    contexts = audit_agents(
        (*workspace.paths, *workspace.above.paths),
        workspace.text,
        counter.count,
        count_file=partial(_tokens, workspace, counter),
        real=workspace.real,
        cwd=cwd,
        base=workspace.above.base.folder,
        window=window,
        table=workspace.scope.table,
        moments=(*AT_START, *LISTED),
    )
    starts = [_start(workspace, context) for context in contexts if not context.agent.installable]
    return sorted((start for start in starts if start.tokens), key=lambda start: (-start.tokens, start.name))


def _tokens(workspace: Workspace, counter: TokenCounter, path: str) -> int | None:
    """The tokens of a whole file, listed or not; None if it cannot be read."""
    reference = workspace.by_path.get(path)
    if reference is None:
        text = workspace.text(path)
        return None if text is None else counter.count(text)
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None


def _start(workspace: Workspace, context: AgentContext) -> AgentStart:
    read = (charge.path for charge in context.at(*AT_START) if charge.tokens)
    ids = (workspace.by_path[path].id for path in read if path in workspace.by_path)
    cut = tuple(_cuts(context))
    return AgentStart(context.agent.name, tuple(dict.fromkeys(ids)), context.start_tokens, cut)


def _cuts(context: AgentContext) -> Iterator[str]:
    """The texts that a limit keeps from the model, with the line where each begins."""
    for charge in context.at(*AT_START):
        for loss in charge.lost:
            lost = f"{plural(loss.tokens, 'token')} lost"
            yield f"{charge.path} from line {loss.line}: {lost}, {loss.limit.effect}"


def largest(workspace: Workspace, counter: TokenCounter, count: int = 8) -> list[tuple[Reference, int]]:
    """The context files with the most tokens, plain files only if there is nothing else."""
    known = [
        (reference, counter.total(entry.counts.units))
        for reference in workspace.references
        if (entry := workspace.reader.known(reference, counter)) is not None
    ]
    context = [row for row in known if row[0].source != "files"] or known
    return sorted(context, key=lambda row: (-row[1], row[0].id))[:count]
