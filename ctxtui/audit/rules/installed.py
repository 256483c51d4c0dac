"""What the agents do that may read a skill which no agent reads in this project."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from ctxtui.agents import load_table
from ctxtui.agents.configuration import value_at
from ctxtui.agents.types import Agent, Limit
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, folders_above
from ctxtui.audit.rules.phrases import all_of
from ctxtui.audit.types import Severity

_VS_CODE = "copilot"
_EXTENSION = "package.json#contributes.chatSkills"
# One reader, several readers.
_DO = {
    "drop": ("drops the skill", "drop the skill"),
    "cut": ("cuts it in the list of skills", "cut it in their lists of skills"),
    "note": ("calls it invalid", "call it invalid"),
}


class Told(NamedTuple):
    """How bad a number over a limit is, and who does what about it, in words that follow the number."""

    severity: Severity
    words: str


def by_readers(audited: Audited, path: str, limit: Limit, size: int) -> Told:
    """What each reader does with a file that breaks a limit of the Agent Skills standard."""
    found = list(_limits(audited, limit.of, size))
    manifest = _shipped_by(audited, path)
    shortens = next((own for agent, own in found if agent.id == _VS_CODE), None)
    if manifest and shortens:
        return Told("info", f"of which VS Code lists {shortens.max:,}: {manifest} adds the skill to it")
    done = {then: [agent.name for agent, own in found if _does(own) == then] for then in _DO}
    # One row may stand for two agents, "Roo Code and Zoo Code".
    who = [f"{(told := all_of(names))} {_DO[then][' and ' in told]}" for then, names in done.items() if names]
    return Told(
        "warning", f"more than the {limit.max:,} of the Agent Skills standard{': ' if who else ''}{'; '.join(who)}"
    )


def _limits(audited: Audited, of: str, size: int) -> Iterator[tuple[Agent, Limit]]:
    """The agents of the table that limit the same part of a skill to less than a size."""
    for agent in load_table() if audited.table is None else audited.table:
        limits = (each for row in agent.rows if row.kind == "skill" for each in row.limits)
        own = next((each for each in limits if each.hard and of in each.of.split("+") and size > each.max), None)
        if own is not None and not agent.installable:
            yield agent, own


def _does(limit: Limit) -> str:
    return "cut" if limit.effect.startswith("cut ") else limit.then if limit.then in _DO else "note"


def _shipped_by(audited: Audited, path: str) -> str:
    """The manifest of the VS Code extension that a skill is a part of; empty if there is none."""
    if posixpath.basename(path) != SKILL:
        return ""
    for folder in (*folders_above(path), ""):
        manifest = posixpath.join(folder, "package.json")
        if audited.exists(manifest):
            skills = value_at(_EXTENSION, audited.text, folder)
            own = [each.get("path") for each in skills if isinstance(each, dict)] if isinstance(skills, list) else []
            places = {posixpath.normpath(posixpath.join(folder, each)) for each in own if isinstance(each, str)}
            if places & {path, posixpath.dirname(path)}:
                return manifest
    return ""
