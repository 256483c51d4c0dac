"""The loading order of `.context` files and their headings (loader specification 3 and 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxtui.core.base.plain import plain_line

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
SUFFIX = ".md"
_HEADINGS = {
    "TASKS": "Current Tasks",
    "DECISIONS": "Key Decisions",
    "CONVENTIONS": "Conventions",
    "ARCHITECTURE": "Architecture Overview",
    "LEARNINGS": "Recent Learnings",
}


def rank(name: str, order: Sequence[str] = DEFAULT_PRIORITY) -> int:
    """A file's position in an order, by its name without extension. Unknown files come last."""
    upper = name.upper()
    return order.index(upper) if upper in order else len(order)


def ordered(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in loading order: by priority, then unknown names alphabetically."""
    upper = [bare(name).upper() for name in order]
    return sorted(names, key=lambda name: (rank(name, upper), name))


def missing(names: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    """The absent files of an order, with `.md`, in order (loader specification 2)."""
    present = {name.upper() for name in names}
    expected = dict.fromkeys(bare(name) for name in order)
    return tuple(name + SUFFIX for name in expected if name.upper() not in present)


def is_constitution(name: str) -> bool:
    """Whether a file is the constitution, which is never cut."""
    return name.upper() == CONSTITUTION


def heading(name: str) -> str:
    """The heading of a file in the summary: one of five given headings, else its name in title case."""
    words = plain_line(name).replace("_", " ").replace("-", " ").split()
    return _HEADINGS.get(name.upper()) or " ".join(word.capitalize() for word in words) or "Untitled"


def bare(name: str) -> str:
    return name[: -len(SUFFIX)] if name.lower().endswith(SUFFIX) else name
