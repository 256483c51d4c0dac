"""The files that coding agents load from a project, and their cost: a table of rules and its interpreter.

Nothing is awaited.

>>> from ctxtui.agents import classify
>>> files = {"AGENTS.md": "# Rules", "CLAUDE.md": "@AGENTS.md", "src/app.py": ""}
>>> [(load.agent, load.path) for load in classify(list(files), files.get)]
[('codex', 'AGENTS.md'), ('claude-code', 'CLAUDE.md'), ('claude-code', 'AGENTS.md')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.agents.contexts import audit_agents
    from ctxtui.agents.costs import (
        AgentContext,
        Charge,
        Compacted,
        Entry,
        Listing,
        Loss,
        PackageCost,
        Part,
        Passed,
        Repeat,
        Subagent,
    )
    from ctxtui.agents.imports import Unmet
    from ctxtui.agents.load import Load
    from ctxtui.agents.loading import agent_files, classify
    from ctxtui.agents.starts import Start, starts_of
    from ctxtui.agents.sums import Cell, Chain, Line, Matrix, Touched, compare, longest_chains, longest_told, what_if
    from ctxtui.agents.table import load_table
    from ctxtui.agents.types import Agent, Limit, Row
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "costs": "AgentContext Charge Compacted Entry Listing Loss PackageCost Part Passed Repeat Subagent",
            "contexts": "audit_agents",
            "load": "Load",
            "loading": "agent_files classify",
            "starts": "Start starts_of",
            "sums": "Cell Chain Line Matrix Touched compare longest_chains longest_told what_if",
            "table": "load_table",
            "types": "Agent Limit Row",
            "imports": "Unmet",
        },
    )

__all__ = [
    "Agent",
    "AgentContext",
    "Cell",
    "Chain",
    "Charge",
    "Compacted",
    "Entry",
    "Limit",
    "Line",
    "Listing",
    "Load",
    "Loss",
    "Matrix",
    "PackageCost",
    "Part",
    "Passed",
    "Repeat",
    "Row",
    "Start",
    "Subagent",
    "Touched",
    "Unmet",
    "agent_files",
    "audit_agents",
    "classify",
    "compare",
    "load_table",
    "longest_chains",
    "longest_told",
    "starts_of",
    "what_if",
]
