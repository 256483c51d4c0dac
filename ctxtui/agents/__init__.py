"""What coding agents load from a project and what it costs: a table of rules and its interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.agents.classify import Load, agent_files, classify
from ctxtui.agents.table import Agent, Limit, Row, load_table

if TYPE_CHECKING:
    from ctxtui.agents.charges import AgentContext, Charge, Entry, Listing, Loss, Passed, Repeat
    from ctxtui.agents.contexts import audit_agents
    from ctxtui.agents.imports import Unmet
    from ctxtui.agents.matrix import Cell, Line, Matrix, compare
    from ctxtui.agents.touched import Touched, what_if

_HOMES = {
    **dict.fromkeys(("AgentContext", "Charge", "Entry", "Listing", "Loss", "Passed", "Repeat"), "charges"),
    "audit_agents": "contexts",
    "Unmet": "imports",
    **dict.fromkeys(("Cell", "Line", "Matrix", "compare"), "matrix"),
    **dict.fromkeys(("Touched", "what_if"), "touched"),
}

__all__ = [
    "Agent",
    "AgentContext",
    "Cell",
    "Charge",
    "Entry",
    "Limit",
    "Line",
    "Listing",
    "Load",
    "Loss",
    "Matrix",
    "Passed",
    "Repeat",
    "Row",
    "Touched",
    "Unmet",
    "agent_files",
    "audit_agents",
    "classify",
    "compare",
    "load_table",
    "what_if",
]


def __getattr__(name: str) -> object:
    """Import what weighs files when it is first used: opening a project only sorts them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
