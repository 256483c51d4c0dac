"""Projects made of a dictionary, and what agents load from them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ctxtui.agents import AgentContext, Load, audit_agents, classify

Loads = Callable[..., dict[str, Load]]
Moments = Callable[..., dict[str, str]]
Contexts = Callable[..., dict[str, AgentContext]]


def front(*lines: str) -> str:
    """A file with these lines of frontmatter."""
    return "\n".join(["---", *lines, "---", ""])


def skill(name: str, description: str = "d", *more: str) -> str:
    """A skill with a name and a description."""
    return front(f"name: {name}", f"description: {description}", *more) + "# Body\n"


def empty(paths: str) -> dict[str, str]:
    """Empty files at some paths."""
    return dict.fromkeys(paths.split(), "")


def when(**moments: str) -> dict[str, str]:
    """Path to moment, from the paths of each moment."""
    return {path: moment for moment, paths in moments.items() for path in paths.split()}


def moments_of(context: AgentContext) -> dict[str, str]:
    """Path to moment."""
    return {charge.path: charge.moment for charge in context.charges}


@pytest.fixture
def loads() -> Loads:
    """Path to load, in loading order, for one agent in a project of the given files."""
    return lambda agent, files: {load.path: load for load in classify(list(files), files.get) if load.agent == agent}


@pytest.fixture
def moments(loads: Loads) -> Moments:
    """Path to moment, in loading order, for one agent in a project of the given files."""
    return lambda agent, files: {path: load.moment for path, load in loads(agent, files).items()}


@pytest.fixture
def contexts() -> Contexts:
    """The contexts of all agents found in a project of the given files; a token is a character."""

    def run(files: Mapping[str, str], **options: Any) -> dict[str, AgentContext]:
        return {context.agent.id: context for context in audit_agents(list(files), files.get, len, **options)}

    return run
