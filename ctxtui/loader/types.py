"""The types of loader specification 1 and 4, and the loading order with its headings (3 and 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
    """The position of a name without extension in an order of upper-case names. Unknown names come last."""
    upper = name.upper()
    return order.index(upper) if upper in order else len(order)


def ordered(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in loading order: by priority, then unknown names alphabetically."""
    upper = [bare(name).upper() for name in order]
    return sorted(names, key=lambda name: (rank(name, upper), name))


def missing(names: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    """The absent files of an order, with `.md`, in order (loader specification 2)."""
    present = {name.upper() for name in names}
    expected: dict[str, str] = {}
    for name in map(bare, order):
        expected.setdefault(name.upper(), name)
    return tuple(name + SUFFIX for upper, name in expected.items() if upper not in present)


def is_context_name(name: str) -> bool:
    """Whether a file name ends in `.md` and is not hidden. Hidden files are locks and drafts of editors."""
    return name.endswith(SUFFIX) and not name.startswith(".")


def is_constitution(name: str) -> bool:
    """Whether a file is the constitution, which is never cut."""
    return name.upper() == CONSTITUTION


def heading(name: str) -> str:
    """The heading of a file, by its name without extension: as the specification says, else in title case."""
    words = plain_line(name).replace("_", " ").replace("-", " ").split()
    return _HEADINGS.get(name.upper()) or " ".join(word.capitalize() for word in words) or "Untitled"


def bare(name: str) -> str:
    """A file name without `.md`, in any case."""
    return name[: -len(SUFFIX)] if name.lower().endswith(SUFFIX) else name


@dataclass(frozen=True, slots=True)
class Item:
    """A task or an entry of a section (loader specification 4.2).

    `title` is an H3 or a check-box's first line. `fields` are its `**Key**: value` pairs, `tags` are without `#`,
    `status` is "todo", "done", "blocked" or, without a check-box, "". `children` are the texts of its direct
    sub-bullets that are not fields.
    """

    title: str
    fields: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    status: str = ""
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """An H2 with its items and the raw text below it (loader specification 4.1).

    Items outside any H2 are in a section without a title.
    """

    title: str
    items: tuple[Item, ...] = ()
    content: str = ""


@dataclass(frozen=True, slots=True)
class ParsedContent:
    """The structure of a file: its first H1 or "", sections, and frontmatter as text (loader specification 4.1)."""

    title: str = ""
    sections: tuple[Section, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextFile:
    """One file of a context directory (loader specification 1.3).

    `name` has no extension, `path` is absolute, `content` the raw text with its frontmatter, and `token_count` is its
    number of tokens. `parsed` is its structure.
    """

    name: str
    path: str
    content: str
    parsed: ParsedContent
    token_count: int


@dataclass(frozen=True, slots=True)
class LoadedContext:
    """A context directory as one text for a model (loader specification 1.2).

    `token_count` is the exact count of `summary` by the chosen counter. `missing` names the absent and unreadable
    files of the priority order, with `.md`. `files` are in loading order.
    """

    files: tuple[ContextFile, ...]
    summary: str
    token_count: int
    truncated: bool
    missing: tuple[str, ...]
