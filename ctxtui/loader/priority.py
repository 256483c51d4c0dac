"""The loading order of `.context` files (seed 002, "Priority Order")."""

from __future__ import annotations

CONTEXT_DIR = ".context"
CONSTITUTION = "CONSTITUTION"
DEFAULT_PRIORITY = (
    CONSTITUTION,
    "TASKS",
    "DECISIONS",
    "CONVENTIONS",
    "ARCHITECTURE",
    "GLOSSARY",
    "LEARNINGS",
    "DEPENDENCIES",
    "DRIFT",
    "AGENT_PLAYBOOK",
)


def rank(name: str) -> int:
    """A file's place in the default order, by its name without extension; unknown files come after."""
    upper = name.upper()
    return DEFAULT_PRIORITY.index(upper) if upper in DEFAULT_PRIORITY else len(DEFAULT_PRIORITY)
