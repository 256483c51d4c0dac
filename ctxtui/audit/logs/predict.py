"""Predict the text of a start from the agents table: whole files and list entries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ctxtui.agents import AgentContext, Charge, Load
from ctxtui.agents.files import Files
from ctxtui.agents.loading import Found
from ctxtui.agents.measure import Scales, SharedBytes, weigh
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.logs import types

_KINDS = {"agent": types.AGENTS, "skill": types.SKILLS, "command": types.SKILLS}
_NUMBER = re.compile(r"\d{1,9}")


class Predicted(NamedTuple):
    """A piece of a start: a file or a named list entry, with the expected text."""

    kind: str
    name: str
    text: str
    charge: Charge


def predict(context: AgentContext, text_of: Callable[[str], str | None], version: str = "") -> Iterator[Predicted]:
    """The text that an agent version sends at its start, in loading order, without blank text."""
    for charge in context.at(*AT_START):
        text = charge.text(text_of(charge.path) or "")
        if text.strip() and not _is_newer(charge.row.since, version):
            yield Predicted(types.INSTRUCTIONS, charge.path, text, charge)
    for charge in context.at(*LISTED):
        kind = _KINDS.get(charge.row.kind)
        if kind and charge.entry and charge.entry.text:
            yield Predicted(kind, charge.entry.name, charge.entry.text, charge)


def entering(charge: Charge, agent: str, text: str) -> str:
    """The part of another version of a file that an agent would send."""
    load = Load(agent, agent, charge.path, charge.moment, charge.row.id, charge.row.kind, "")
    files = Files(lambda _path: text, {charge.path})
    return weigh(Found(load, charge.row), Scales(files, lambda _text: 0, None), SharedBytes()).text(text)


def _is_newer(since: str, version: str) -> bool:
    """Whether a rule is newer than the version that ran. Unknown versions follow every rule."""
    return bool(since and version) and _numbers(since) > _numbers(version)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(version)[:4])
