"""The system prompt and built-in tools of agents as captured on this machine, in place of published sizes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxtui.agents import AgentContext
from ctxtui.agents.capture.capture import latest
from ctxtui.agents.capture.launches import find_program, launches
from ctxtui.agents.types import Fixed
from ctxtui.audit.starts.compare import compared
from ctxtui.core.tokens.counter import TokenCounter

_OWN = ("system prompt", "built-in tools")


def own_parts(contexts: tuple[AgentContext, ...], counter: TokenCounter, project: Path) -> Mapping[str, Fixed]:
    """The captured sizes by agent id, of the programs that are installed now."""
    found: dict[str, Fixed] = {}
    for context in contexts:
        kept = latest(context.agent.id)
        # The table of launches is read only where something was captured.
        launch = launches().get(context.agent.id) if kept else None
        program = find_program(launch, project) if launch else None
        if kept is None or program is None or program.stamp != kept[1]:
            continue
        made = kept[0]
        categories = compared(made.parts, launch, None, {}, lambda _path: None, counter)[0]
        tokens = sum(each.captured or 0 for each in categories if each.name in _OWN)
        what = "system prompt and built-in tools"
        by = "a capture on this machine"
        found[context.agent.id] = Fixed(what, tokens, "", made.at.date(), by, made.version, is_captured=True)
    return found
