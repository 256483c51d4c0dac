"""What a project's context costs at one moment, so that two moments can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ctxtui.agents import AgentContext
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

PLAIN = "files"
"""The source of files that are not context, but lie beside it."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens by path: of every context file, and by agent id of the part of each file that loads at the start."""

    files: Mapping[str, int] = field(default_factory=dict)
    starts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The tokens of all context files."""
        return sum(self.files.values())

    def start(self, agent: str) -> int:
        """The tokens in an agent's context before the first request; 0 if the agent is not found."""
        return sum(self.starts.get(agent, {}).values())


@dataclass(frozen=True, slots=True)
class Growth:
    """How many tokens were added, and the file that grew most; `path` is empty if none did."""

    tokens: int
    path: str = ""
    path_tokens: int = 0


def context_of(references: Iterable[Reference], agents: Iterable[AgentContext]) -> list[Reference]:
    """The references that are context: files that a source claims, and plain files that an agent loads.

    All code that counts or checks context files uses this; a reference is one file, no matter how many links
    lead to it.
    """
    loaded = loaded_by(agents)
    return [each for each in references if each.source != PLAIN or not loaded.isdisjoint(each.paths)]


def loaded_by(agents: Iterable[AgentContext]) -> frozenset[str]:
    """The paths that any agent loads at any moment."""
    return frozenset(charge.path for context in agents for charge in context.charges if charge.moment != "never")


def tokens_of(workspace: Workspace, reference: Reference, counter: TokenCounter) -> int | None:
    """The tokens of a file, counted now if necessary; None if it cannot be read."""
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None


def costs_of(workspace: Workspace, counter: TokenCounter, agents: Sequence[AgentContext]) -> Costs:
    """What a snapshot costs now, with the agents' contexts in it."""
    context = context_of(workspace.references, agents)
    sizes = ((each.path, tokens_of(workspace, each, counter)) for each in context)
    return Costs({path: tokens for path, tokens in sizes if tokens is not None}, start_costs(agents))


def start_costs(agents: Iterable[AgentContext]) -> dict[str, dict[str, int]]:
    """The tokens at the start by agent id and path."""
    starts: dict[str, dict[str, int]] = {}
    for context in agents:
        files = starts.setdefault(context.agent.id, {})
        for charge in context.charges:
            if charge.start_tokens:
                files[charge.path] = files.get(charge.path, 0) + charge.start_tokens
    return starts


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> Growth:
    """How the sum of files changed, and which file grew most."""
    grown = {path: tokens - before.get(path, 0) for path, tokens in after.items()}
    path, most = max(grown.items(), key=lambda file: (file[1], file[0]), default=("", 0))
    tokens = sum(after.values()) - sum(before.values())
    return Growth(tokens, path, most) if most > 0 else Growth(tokens)
