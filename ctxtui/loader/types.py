"""The types of loader specification 1 and 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

# The attribute with the deferred parser of a file.
_PARSE: Final = "_parse"


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


@dataclass(frozen=True)
class ContextFile:
    """One file of a context directory (loader specification 1.3).

    `name` has no extension, `path` is absolute, `content` the raw text with its frontmatter, and `token_count` is its
    number of tokens. `load_context` parses `parsed`, its structure, on first access.
    """

    name: str
    path: str
    content: str
    parsed: ParsedContent
    token_count: int

    @classmethod
    def unparsed(
        cls, name: str, path: str, content: str, parse: Callable[[], ParsedContent], token_count: int
    ) -> ContextFile:
        """A file whose structure `parse` finds on first access."""
        file = cls(name, path, content, ParsedContent(), token_count)
        # A missing value makes the access reach `__getattr__`.
        del vars(file)["parsed"]
        vars(file)[_PARSE] = parse
        return file

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> ParsedContent:
            if name != "parsed" or _PARSE not in vars(self):
                raise AttributeError(f"a {type(self).__name__} has no {name!r}")
            return vars(self).setdefault("parsed", vars(self)[_PARSE]())

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


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
