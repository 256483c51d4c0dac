"""The tool `get_agent_starts`: what coding agents have in context when they start in a folder of the project."""

from __future__ import annotations

from typing import Any, Final

from ctxtui.agents import Charge, Start
from ctxtui.agents.costs import Part
from ctxtui.agents.types import Fixed
from ctxtui.core.projection import Shapes, project
from ctxtui.core.tokens.whole import Whole
from ctxtui.mcp.tool import TEXT, Call, Tool, in_thread
from ctxtui.session.agent_start import agent_starts, longer_starts
from ctxtui.session.budget import Budget
from ctxtui.session.whole_starts import whole_starts
from ctxtui.workspace.resolve import resolve_folder

_SHAPES: Final[Shapes] = {
    Start: "id=agent name start_tokens=tokens lost_tokens repeated_tokens after_compaction=after subagents versions"
    " uncounted fixed files=entries",
    Part: "what names",
    Fixed: "what tokens of? version? by day src",
    Whole: "tokens label basis_tokens",
    Charge: "path moment reason start_tokens lost_tokens",
}


def _starts(call: Call) -> object:
    """The starts, highest first, with the keys of `ctxtui audit --json`; those known as estimates have no `whole`."""
    workspace = call.project.workspace()
    cwd = resolve_folder(workspace, call.arguments.optional_text("cwd") or ".", workspace.root)
    budget = _budget(call.arguments.optional_text("model"))
    counter = budget.counter
    starts = agent_starts(workspace, counter, budget.window, cwd)
    known = whole_starts(starts, workspace.text, counter, workspace.reader.ledger, call.check)
    return {
        "cwd": cwd or ".",
        **counter.described(),
        "agents": [_agent(each) for each in known],
        "longest": list(longer_starts(workspace, cwd)),
    }


def _budget(model: str | None) -> Budget:
    if model is None:
        return Budget()
    from ctxtui.core.tokens.models import find_model  # noqa: PLC0415 - price data take a quarter of a second

    return Budget(model=model, window=find_model(model).window)


def _agent(start: Start) -> dict[str, Any]:
    data: dict[str, Any] = project(start, _SHAPES)
    return data | {"whole": project(start.whole, _SHAPES)} if start.whole else data


STARTS: Final = Tool(
    "get_agent_starts",
    "What each coding agent has in context at its start in a folder, in tokens, file by file.",
    in_thread(_starts),
    {"cwd": {**TEXT, "description": "a folder of the project; default its root"}, "model": TEXT},
)
