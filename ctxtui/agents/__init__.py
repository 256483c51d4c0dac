"""The files that coding agents load from a project, and their cost: a table of rules and its interpreter.

Nothing is awaited.

>>> from ctxtui.agents import classify
>>> files = {"AGENTS.md": "# Rules", "CLAUDE.md": "@AGENTS.md", "src/app.py": ""}
>>> [(load.agent, load.path) for load in classify(list(files), files.get)]
[('codex', 'AGENTS.md'), ('claude-code', 'CLAUDE.md'), ('claude-code', 'AGENTS.md')]
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.agents.contexts import audit_agents as audit_agents
    from ctxtui.agents.costs import (
        AgentContext as AgentContext,
        Charge as Charge,
        Compacted as Compacted,
        Entry as Entry,
        Listing as Listing,
        Loss as Loss,
        PackageCost as PackageCost,
        Part as Part,
        Passed as Passed,
        Repeat as Repeat,
        Subagent as Subagent,
    )
    from ctxtui.agents.project.imports import Unmet as Unmet
    from ctxtui.agents.loads import Load as Load
    from ctxtui.agents.find_loads import agent_files as agent_files, classify as classify
    from ctxtui.agents.starts import Start as Start, starts_of as starts_of
    from ctxtui.agents.sums import (
        Cell as Cell,
        Chain as Chain,
        Line as Line,
        Matrix as Matrix,
        Touched as Touched,
        compare as compare,
        longest_chains as longest_chains,
        longest_told as longest_told,
        what_if as what_if,
    )
    from ctxtui.agents.table import load_table as load_table
    from ctxtui.agents.types import Agent as Agent, Limit as Limit, Row as Row
else:
    __getattr__, __dir__ = lazy_names(__name__)
