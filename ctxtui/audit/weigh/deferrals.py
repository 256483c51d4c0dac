"""The dated table of what agents do with MCP servers, and settings that change it."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ctxtui.agents.configuration import Read, value_at
from ctxtui.audit.weigh.types import Deferral

_OFF = ("false", "0", "off", "no")


def deferral_of(agent: str) -> Deferral:
    """What is known of an agent, by id."""
    return deferrals().get(agent) or Deferral(agent)


@functools.cache
def deferrals() -> dict[str, Deferral]:
    """The table, by agent."""
    # Only audits of projects with MCP servers need them.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.core.data.toml import load_toml  # noqa: PLC0415

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
    if said[-1].startswith("auto"):
        share = said[-1].partition(":")[2] or "10"
        note = f"{setting} is {said[-1][:9]}: all tools load at the start if they fit in {share[:4]} % of the window."
        return replace(row, note=note)
    return row


def _row(agent: str, row: dict[str, Any]) -> Deferral:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Deferral(agent, **values | {"checked": str(values.get("checked", ""))})
