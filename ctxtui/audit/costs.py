"""Context costs at one moment, for comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ctxtui.agents import AgentContext
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens by path: `files` for all context files, `starts` for the files of each agent's start, by agent id."""

    files: Mapping[str, int] = field(default_factory=dict)
    starts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.files.values())

    def start(self, agent: str) -> int:
        """The tokens of an agent's start, or 0 if the agent is not detected."""
        return sum(self.starts.get(agent, {}).values())


@dataclass(frozen=True, slots=True)
class Growth:
    """A change in tokens, negative for fewer, and the file that grew most, with an empty `path` if none grew."""

    tokens: int
    path: str = ""
    path_tokens: int = 0


def context_of(references: Iterable[Reference], agents: Iterable[AgentContext]) -> list[Reference]:
    """The references that are context: files of a source, and plain files that an agent loads.

    All code that counts or checks context files uses this. A reference is one file, no matter how many links lead to
    it.
    """
    loaded = loaded_paths(agents)
    return [each for each in references if each.source != PLAIN or not loaded.isdisjoint(each.paths)]


def loaded_paths(agents: Iterable[AgentContext]) -> frozenset[str]:
    """The paths that any agent loads at any moment."""
    return frozenset(charge.path for context in agents for charge in context.charges if charge.moment != "never")


def costs_of(workspace: Workspace, counter: TokenCounter, agents: Sequence[AgentContext]) -> Costs:
    sizes = sizes_of(context_of(workspace.references, agents), workspace, counter)
    return Costs({each.path: tokens for each, tokens in sizes}, start_costs(agents))


def sizes_of(
    references: Iterable[Reference], workspace: Workspace, counter: TokenCounter
) -> Iterator[tuple[Reference, int]]:
    """The readable files, each with its tokens."""
    for each in references:
        tokens = workspace.tokens_or_none(each, counter)
        if tokens is not None:
            yield each, tokens


def start_costs(agents: Iterable[AgentContext]) -> dict[str, dict[str, int]]:
    """The tokens of each agent's start by agent id and path. Files that cost nothing there are left out."""
    starts: dict[str, dict[str, int]] = {}
    for context in agents:
        files = starts.setdefault(context.agent.id, {})
        for charge in context.charges:
            if charge.start_tokens:
                files[charge.path] = files.get(charge.path, 0) + charge.start_tokens
    return starts


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> Growth:
    """The change of the sum of tokens by path, and the file that grew most."""
    grown = {path: tokens - before.get(path, 0) for path, tokens in after.items()}
    path, most = max(grown.items(), key=lambda file: (file[1], file[0]), default=("", 0))
    tokens = sum(after.values()) - sum(before.values())
    return Growth(tokens, path, most) if most > 0 else Growth(tokens)
