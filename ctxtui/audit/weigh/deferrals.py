"""The dated table of what agents do with MCP servers, and settings that change it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ctxtui.agents.configuration import Read, value_at
from ctxtui.audit.weigh.types import Deferral

_OFF = ("false", "0", "off", "no")
_AUTO = re.compile(r"auto(?::([0-9]{1,3}))?")
# Per cent of the window, if `auto` names none.
_USUAL = 10


def deferral_of(agent: str) -> Deferral:
    """What is known of an agent, by id."""
    return deferrals().get(agent) or Deferral(agent)


@functools.cache
def deferrals() -> dict[str, Deferral]:
    """The table, by agent."""
    # Only audits of projects with MCP servers need them.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.core.text.data.toml import load_toml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("agents.toml").read_text(encoding="utf-8")
    return {agent: _row(agent, row) for agent, row in load_toml(text).items()}


def switched(row: Deferral, reads: Iterable[Read]) -> Deferral:
    """The row as settings of the project and the user change it; `reads` give a file's text, the last one wins."""
    said = [str(value).lower() for read in reads for ref in row.switch if (value := value_at(ref, read)) is not None]
    if not said:
        return row
    setting = row.switch[0].rpartition(".")[2]
    if said[-1] in _OFF:
        return replace(row, defers="no", note=f"{setting} is {said[-1]}.")
    if (share := _AUTO.fullmatch(said[-1])) is not None:
        return replace(row, share=min(int(share[1] or _USUAL), 100), note=f"{setting} is {said[-1]}")
    return row


def _row(agent: str, row: dict[str, Any]) -> Deferral:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Deferral(agent, **values | {"checked": str(values.get("checked", ""))})
