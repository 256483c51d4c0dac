"""The types of loader specification 1 and 4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    """An H2 with its items. `content` is always the raw text below the heading (loader specification 4.1).

    Items outside any H2 are in a section without a title.
    """

    title: str
    items: tuple[Item, ...] = ()
    content: str = ""


@dataclass(frozen=True, slots=True)
class ParsedContent:
    """The structure of a file (loader specification 4.1).

    `title` is the first H1, empty if there is none. `metadata` is the frontmatter as text.
    """

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
