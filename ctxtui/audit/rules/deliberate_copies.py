"""Deliberate copies: skills and agents that run alone, and text written for two agents."""

from __future__ import annotations

import posixpath
import re
from itertools import islice

from ctxtui.agents.paths import claimed
from ctxtui.audit.context import Audited
from ctxtui.audit.text.facts import split_lines

_ALONE = frozenset({"agent", "command"})
_NAMES = frozenset({"AGENTS.md", "CLAUDE.md", "GEMINI.md", "copilot-instructions.md"})
# The first lines say for whom a file is.
_HEAD = 5
_AGENTS = re.compile(
    r"\b(claude|codex|copilot|gemini|opencode|cursor|windsurf|cline|aider|jules)\b(?!\.md\b)", re.IGNORECASE
)


class DeliberateCopies:
    """Decide which files may repeat each other."""

    def __init__(self, audited: Audited) -> None:
        self._audited = audited
        rows = [row for context in audited.real_agents for row in context.agent.rows if row.kind in _ALONE]
        self._alone = frozenset(audited.real(path) for row in rows for path in claimed(row, audited.index))

    def are_run_alone(self, one: str, other: str) -> bool:
        """Whether two files belong to different skills, agents or commands, which each need their whole text."""
        units = self._unit(one), self._unit(other)
        return all(units) and units[0] != units[1]

    def _unit(self, path: str) -> str:
        skill = self._audited.skill_of(path)
        # Variants of a skill share a name.
        return posixpath.basename(skill) if skill else path if self._audited.real(path) in self._alone else ""

    def are_translated(self, one: str, other: str) -> bool:
        """Whether the first lines of two instruction files name different agents."""
        if not {posixpath.basename(one), posixpath.basename(other)} <= _NAMES:
            return False
        meant = self._meant(one), self._meant(other)
        return len(meant[0]) == len(meant[1]) == 1 and meant[0] != meant[1]

    def _meant(self, path: str) -> frozenset[str]:
        """The agents named in the first lines of a file."""
        head = islice(filter(str.strip, split_lines(self._audited.text(path) or "")), _HEAD)
        return frozenset(name.lower() for line in head for name in _AGENTS.findall(line))
