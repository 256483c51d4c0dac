"""Files whose names or folders are nearly those that agents look for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from ctxtui.agents.types import Agent
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_fixture, is_stand_in
from ctxtui.audit.rules.phrases import source_of
from ctxtui.audit.rules.remedies import move
from ctxtui.audit.types import Finding, Remedy

# The wrong path, the agent, and the right file name. Only at the root, because documents have such names elsewhere.
_NEAR: Final = (
    (re.compile(r"AGENT\.md|[Aa]gents?\.md"), "codex", "AGENTS.md"),
    (re.compile(r"[Cc]laude\.md"), "claude-code", "CLAUDE.md"),
    (re.compile(r"[Gg]emini\.md"), "gemini-cli", "GEMINI.md"),
    (re.compile(r"\.github/copilot[-_]instructions?\.md"), "copilot", "copilot-instructions.md"),
    (re.compile(r"(?:.*/)?\.(?:claude|agents|github|cursor)/skills/[^/]+/[Ss]kill\.md"), "claude-code", SKILL),
)
_SKILLS: Final = re.compile(r"(?P<skills>(?:.*/)?\.claude/skills)/(?P<inner>(?:[^/]+/)*)SKILL\.md")


def near_names(audited: Audited, agents: dict[str, Agent]) -> Iterator[Finding]:
    """Files that no agent reads because their names are nearly right, and skills that are too deep or too high."""
    somewhere = frozenset().union(*audited.loaded.values())
    claude = audited.loaded.get("claude-code")
    for path in audited.paths:
        name = posixpath.basename(path)
        if not name.lower().endswith(".md") or audited.is_vendored(path) or is_fixture(path) or is_stand_in(path):
            continue
        for wrong, id_, right in _NEAR:
            to = posixpath.join(posixpath.dirname(path), right)
            is_read = audited.real(path) in somewhere or path == to or audited.exists(to)
            if id_ in agents and wrong.fullmatch(path) and not is_read and (audited.text(path) or "").strip():
                agent = agents[id_]
                remedy = Remedy(f"rename it to {right}", steps=move(audited, path, to))
                yield _finding(audited, agent, path, f"it looks for {right}", remedy)
        found = _SKILLS.fullmatch(path) if name == SKILL and claude is not None else None
        if found and claude is not None and audited.real(path) not in claude:
            yield from _misplaced_skill(audited, agents["claude-code"], path, found["skills"], found["inner"])


def _misplaced_skill(audited: Audited, claude: Agent, path: str, skills: str, inner: str) -> Iterator[Finding]:
    folders = inner.rstrip("/").split("/") if inner else []
    # A file within another skill belongs to that skill.
    if len(folders) == 1 or any(
        audited.exists(f"{skills}/{'/'.join(folders[:depth])}/{SKILL}") for depth in range(1, len(folders))
    ):
        return
    to = f"{skills}/{folders[-1]}/" if folders else f"{skills}/NAME/"
    why = f"it lies too {'deep' if folders else 'high'}: Claude Code looks for {skills}/NAME/{SKILL}"
    yield _finding(audited, claude, path, why, Remedy(f"move it to {to}"))


def _finding(audited: Audited, agent: Agent, path: str, why: str, remedy: Remedy) -> Finding:
    message = f"{agent.name} does not read it: {why}"
    tokens = audited.tokens(path) or 0
    return Finding("wrong-place", "warning", message, path, 1, tokens, source_of(agent), agent.id, "name", remedy)
