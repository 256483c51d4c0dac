"""The tool `get_agent_starts`: what coding agents have in context when they start in a folder of the project."""

from __future__ import annotations

from typing import Final

from ctxtui.agents import Charge, Start
from ctxtui.agents.costs import Part
from ctxtui.agents.types import Fixed
from ctxtui.core.projection import Shapes, project
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.mcp.tool import TEXT, Call, Tool, in_thread
from ctxtui.session.agent_start import agent_starts, longer_starts
from ctxtui.workspace.resolve import resolve_folder

_SHAPES: Final[Shapes] = {
    Start: "id=agent name start_tokens=tokens lost_tokens repeated_tokens after_compaction=after subagents versions"
    " uncounted fixed files=entries",
    Part: "what names",
    Fixed: "what tokens of? version? by day src",
    Charge: "path moment reason start_tokens lost_tokens",
}


def _starts(call: Call) -> object:
    """The starts, highest first, with the keys of `ctxtui audit --json`."""
    workspace = call.project.workspace()
    cwd = resolve_folder(workspace, call.arguments.optional_text("cwd") or ".", workspace.root)
    counter = get_counter()
    return {
        "cwd": cwd or ".",
        "tokenizer": counter.name,
        "agents": project(agent_starts(workspace, counter, cwd=cwd), _SHAPES),
        "longest": list(longer_starts(workspace, cwd)),
    }


STARTS: Final = Tool(
    "get_agent_starts",
    "What each coding agent has in context at its start in a folder, in tokens, file by file.",
    in_thread(_starts),
    {"cwd": {**TEXT, "description": "a folder of the project; default its root"}},
)
