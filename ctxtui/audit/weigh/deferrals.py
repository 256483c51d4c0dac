"""How agents load MCP tools, by the table of agents and by settings that change it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ctxtui.agents import load_table
from ctxtui.agents.configuration import Read, value_at
from ctxtui.agents.types import Deferral

_OFF = ("false", "0", "off", "no")
_AUTO = re.compile(r"auto(?::([0-9]{1,3}))?")
# Percent of the window, if `auto` names none.
_USUAL = 10


def deferral_of(agent: str) -> Deferral:
    """How an agent, by id, loads MCP tools: its row of the packaged table, or the default."""
    found = (each.servers for each in load_table() if each.id == agent)
    return next(filter(None, found), Deferral(agent))


def switched(row: Deferral, reads: Iterable[Read]) -> Deferral:
    """The row after the agent's settings. Each of `reads` gives a file's text by path. The last setting wins."""
    said = [str(value).lower() for read in reads for ref in row.switch if (value := value_at(ref, read)) is not None]
    if not said:
        return row
    setting = row.switch[0].rpartition(".")[2]
    if said[-1] in _OFF:
        return replace(row, defers="no", note=f"{setting} is {said[-1]}.")
    if (share := _AUTO.fullmatch(said[-1])) is not None:
        return replace(row, share=min(int(share[1] or _USUAL), 100), note=f"{setting} is {said[-1]}")
    return row
