"""The text that enters each agent's context when it touches a file of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxtui.agents.costs import AgentContext, Charge
from ctxtui.agents.globs import Trigger
from ctxtui.agents.paths import inner
from ctxtui.agents.types import Agent


@dataclass(frozen=True, slots=True)
class Touched:
    """The additional files that one agent reads when it touches a path.

    `perhaps` are charges that depend on more than the path, such as words in the file.
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
    place = inner(path)
    return tuple(_touched(context, place) for context in contexts if not context.agent.installable)


def _touched(context: AgentContext, path: str) -> Touched:
    charges = [charge for charge in context.at("touch") if charge.path != path]
    whole = context.base.to_root(path)
    certain = tuple(charge for charge in charges if charge.scopes and Trigger(charge.scopes).fires(whole))
    return Touched(context.agent, certain, tuple(charge for charge in charges if not charge.scopes))
