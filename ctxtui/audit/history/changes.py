"""Changes of a file and its sections between two versions of a project."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import count_text

Kind = Literal["added", "removed", "changed", "moved"]


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A changed section: its slug, and its tokens before and after without subsections, None if missing.

    The changes of all sections add up to the change of the file.
    """

    slug: str
    name: str
    before: int | None
    after: int | None

    @property
    def tokens(self) -> int:
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True, slots=True)
class FileChange:
    """A changed context file: its tokens before and after, None where it is missing or no context file.

    `old_path` is set if it moved without a change. `sections` are set if they were compared.
    """

    path: str
    source: str
    before: int | None
    after: int | None
    old_path: str | None = None
    sections: tuple[SectionChange, ...] = ()

    @property
    def kind(self) -> Kind:
        if self.old_path:
            return "moved"
        return "added" if self.before is None else "removed" if self.after is None else "changed"

    @property
    def tokens(self) -> int:
        return (self.after or 0) - (self.before or 0)


def section_changes(path: str, before: str, after: str, counter: TokenCounter) -> tuple[SectionChange, ...]:
    """The changed frontmatter, preamble and sections of Markdown, in file order, removed ones last."""
    if not is_markdown(path):
        return ()
    old, new = _parts(path, before, counter), _parts(path, after, counter)
    both = ((slug, old.get(slug, _NO_PART), new.get(slug, _NO_PART)) for slug in dict.fromkeys([*new, *old]))
    return tuple(
        SectionChange(slug, now.name or was.name, was.tokens, now.tokens) for slug, was, now in both if was != now
    )


class _Part(NamedTuple):
    name: str
    text: str
    tokens: int | None


_NO_PART = _Part("", "", None)


def _parts(path: str, text: str, counter: TokenCounter) -> dict[str, _Part]:
    document = Document(path, text, Stamp(0, 0, 0))
    counts = count_text(counter, text)
    ends = [counter.total(counts.before(counter, text, part.own_end)) for part in document.parts]
    sizes = [end - start for start, end in pairwise((0, *ends))]
    return {
        part.slug: _Part(part.name, document.own_text(part), tokens)
        for part, tokens in zip(document.parts, sizes, strict=True)
    }
