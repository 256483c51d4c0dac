"""Picks: the selected parts of a document, by slug, so that an edit does not change the selection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from ctxtui.core.base.target import Target
from ctxtui.core.text.markdown.document import FRONTMATTER, Document, Part
from ctxtui.core.text.metadata.reference import decode_id

PickState = Literal["all", "part", "none"]
"""How much of a folder, document or part is picked."""
# No document has such an id: ids that begin like this contain no colon.
QUERY: Final = "query:"
SNIPPET: Final = "lines:"
GLOB: Final = "glob:"
LISTING: Final = "listing: "
"""The prefix of names of queries for an agent's listing."""
DIFF: Final = "diff: "
LOG: Final = "log: "
CHANGED: Final = "changed: "
"""The default prefixes of names of git queries."""
OUTPUTS: Final = "outputs: "
"""The prefix of names of queries for a notebook's outputs."""
# Names with these prefixes need no `query:` before them.
_TELLING: Final = (LISTING, DIFF, LOG, CHANGED, OUTPUTS)


@dataclass(frozen=True, slots=True)
class Pick:
    """One document in a selection.

    `marks` pair slugs of sections with True if the section is taken, False if it is dropped. The nearest mark, a
    section's own or its ancestor's, decides, else `whole` does. The frontmatter is taken only by its own mark.
    `tasks` is a name of `TASK_FILTERS`, which narrows the text to some of its tasks. With `outline`, the rest of the
    code is outlined. `of` is the id of the pattern that found the document. It is None once the pick is changed.
    """

    id: str
    whole: bool = True
    marks: tuple[tuple[str, bool], ...] = ()
    pinned: bool = False
    tasks: str | None = None
    of: str | None = None
    outline: bool = False

    def __post_init__(self) -> None:
        # A whole file has nothing left to outline. Equal selections must be equal values.
        if self.outline and self.whole and all(wanted for _, wanted in self.marks):
            object.__setattr__(self, "outline", False)

    @property
    def is_plain(self) -> bool:
        """Whether the whole body is taken, unfiltered."""
        return self.whole and not self.marks and self.tasks is None

    def taken(self, document: Document) -> list[bool]:
        """For every part of the document, whether its own text is taken."""
        marks = dict(self.marks)
        result: list[bool] = []
        for part in document.parts:
            inherited = self.whole if part.parent is None else result[part.parent]
            if part.slug == FRONTMATTER:
                inherited = False
            result.append(marks.get(part.slug, inherited))
        return result

    def missing(self, document: Document) -> tuple[str, ...]:
        """The slugs to take that the document no longer has."""
        return tuple(slug for slug, wanted in self.marks if wanted and document.position(slug) is None)

    def narrowed(self, count: int) -> Pick:
        """The pick with only the first `count` of its marks that take a section, in the order of picking."""
        taken = [mark for mark in self.marks if mark[1]]
        dropped = tuple(mark for mark in self.marks if not mark[1])
        return replace(self, marks=(*taken[:count], *dropped))

    def marked(self, document: Document, slugs: Iterable[str], wanted: bool) -> Pick | None:
        """The pick with the parts of some slugs taken or dropped, nested parts included, None if nothing is left.

        Slugs that the document does not have are ignored.
        """
        marks = dict(self.marks)
        for slug in slugs:
            position = document.position(slug)
            if position is not None:
                for inner in _below(document, position):
                    marks.pop(document.parts[inner].slug, None)
                marks[slug] = wanted
        return replace(self, marks=tuple(marks.items()), of=None)._simplified(document)

    def without_own(self, document: Document, parts: Iterable[Part]) -> Pick | None:
        """The pick without the own texts of some parts, None if nothing is left. Nested parts stay."""
        marks, taken = dict(self.marks), self.taken(document)
        for part in parts:
            for child in part.children:
                marks.setdefault(document.parts[child].slug, taken[child])
            marks[part.slug] = False
        return replace(self, marks=tuple(marks.items()), of=None)._simplified(document)

    def _simplified(self, document: Document) -> Pick | None:
        """The pick without redundant marks, whole if all but frontmatter is taken. None if nothing is taken."""
        taken = self.taken(document)
        if not any(taken) and not self.outline:
            return None
        whole = self.whole or replace(self, tasks=None).document_state(document) == "all"
        order = {slug: place for place, (slug, _) in enumerate(self.marks)}
        kept = [(slug, value) for slug, value in self.marks if document.position(slug) is None]
        for part, is_taken in zip(document.parts, taken, strict=True):
            inherited = whole if part.parent is None else taken[part.parent]
            if is_taken != (inherited and part.slug != FRONTMATTER):
                kept.append((part.slug, is_taken))
        # The sections picked first are left out last. A recipe has no place for the frontmatter among them.
        kept.sort(key=lambda mark: (mark[0] == FRONTMATTER, order.get(mark[0], len(order))))
        return replace(self, whole=whole, marks=tuple(kept))

    def states(self, document: Document) -> list[PickState]:
        """How much of every part is taken with its nested parts: `all`, `part` or `none`, in the document's order."""
        taken = self.taken(document)
        result: list[PickState] = ["none"] * len(taken)
        for position in range(len(taken) - 1, -1, -1):
            inside = {result[child] for child in document.parts[position].children}
            inside.add("all" if taken[position] else "part" if self.outline else "none")
            result[position] = "part" if len(inside) > 1 or (self.tasks and "all" in inside) else inside.pop()
        return result

    def document_state(self, document: Document) -> PickState:
        """How much of the document's body is taken: `all`, `part` or `none`. The frontmatter alone is a `part`."""
        taken = self.taken(document)
        body = [is_taken for part, is_taken in zip(document.parts, taken, strict=True) if part.slug != FRONTMATTER]
        if body and all(body) and self.tasks is None:
            return "all"
        return "part" if any(taken) or self.outline else "none"


@dataclass(frozen=True, slots=True)
class QueryPick:
    """A query, computed at each build. `definition` is its JSON, which `session.queries.questions` reads."""

    id: str
    definition: str
    pinned: bool = False

    @property
    def name(self) -> str:
        return self.id.removeprefix(QUERY)

    @property
    def label(self) -> str:
        """The name in a payload."""
        return self.name if self.name.startswith(_TELLING) else f"{QUERY} {self.name}"

    def block_id(self, id_: str) -> str:
        """The id of the payload's block that holds the item or document `id_` of the result."""
        return str(Target(self.id, id_))


def kind_and_name(id_: str) -> tuple[str, str]:
    """The id of a payload's block in two parts to show.

    For an item of a query, the query's kind, such as `diff`, or else its name, and the item. For any other block, ""
    and a name.
    """
    name = id_.removeprefix(QUERY)
    owner, item = Target.of_block(name)
    if owner and name != id_:
        return owner.partition(":")[0] if owner.startswith(_TELLING) else owner, decode_id(item)
    return "", name if name.startswith(_TELLING) else id_


def shown_name(id_: str) -> str:
    """The name of a payload's block for people, by its id."""
    return " ".join(filter(None, kind_and_name(id_)))


@dataclass(frozen=True, slots=True)
class SnippetPick:
    """Lines of a document, from 1, the last one included."""

    id: str
    document: str
    first: int
    last: int
    pinned: bool = False

    @staticmethod
    def of(document: str, first: int, last: int) -> SnippetPick:
        return SnippetPick(f"{SNIPPET}{document}:{first}-{last}", document, first, last)

    def meets(self, other: SnippetPick) -> bool:
        return self.document == other.document and self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class GlobPick:
    """A pattern that matches documents in each snapshot, or their outlines, except those of `without`."""

    id: str
    pattern: str
    without: tuple[str, ...] = ()
    pinned: bool = False
    outline: bool = False

    @staticmethod
    def of(pattern: str, without: Iterable[str] = (), pinned: bool = False, outline: bool = False) -> GlobPick:
        return GlobPick(f"{GLOB}{pattern}", pattern, tuple(without), pinned, outline)


AnyPick = Pick | QueryPick | SnippetPick | GlobPick
"""Every kind has an `id` and can be pinned."""


def _below(document: Document, position: int) -> list[int]:
    """The positions of a part and of all parts nested in it."""
    result = [position]
    for child in document.parts[position].children:
        result += _below(document, child)
    return result
