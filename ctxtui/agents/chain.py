"""Chains: the instructions that add up along the path of the folder where an agent starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxtui.agents.types import Agent, Limit


@dataclass(frozen=True, slots=True)
class Chain:
    """The instructions that one agent reads if it starts in a folder (`""`: the root), root first.

    `size` is in bytes, `root_size` that of a start at the root; `limit` is the most that the agent reads of a chain,
    if it has such a limit.
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
    """The agents, folders and sizes in words: those over a limit, otherwise the longest; with `every`, all of them.

    Those of the folder `cwd` are left out.
    """
    ordered = sorted((each for each in chains if each.folder != cwd), key=lambda chain: (-chain.lost, -chain.size))
    over = sum(each.lost > 0 for each in ordered)
    return tuple(
        f"{each.agent.name} in {each.folder}/: {each.size:,} bytes of instructions"
        + (f", over its limit of {each.limit.max:,}" if each.limit and each.lost else "")
        for each in (ordered if every else ordered[: max(over, 1)])
    )
