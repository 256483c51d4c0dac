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


@pytest.fixture
def loads() -> Loads:
    """Path to load, in loading order, for one agent in a project of the given files."""

    def run(agent: str, files: dict[str, str]) -> dict[str, Load]:
        return {load.path: load for load in classify(list(files), files.get) if load.agent == agent}

    return run


@pytest.fixture
def moments(loads: Loads) -> Moments:
    """Path to moment, in loading order, for one agent in a project of the given files."""

    def run(agent: str, files: dict[str, str]) -> dict[str, str]:
        return {path: load.moment for path, load in loads(agent, files).items()}

    return run


@pytest.fixture
def contexts() -> Contexts:
    """The contexts of all agents found in a project of the given files; a token is a character."""

    def run(files: Mapping[str, str], **options: Any) -> dict[str, AgentContext]:
        audited = audit_agents(list(files), files.get, len, **options)
        return {context.agent.id: context for context in audited}

    return run
