"""A document: a file read and parsed once, with its parts down to nested sections."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.code.languages import has_grammar, language_of, why_no_symbols
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.light import MAX_CHARACTERS
from ctxtui.core.text.markdown.scan import (
    Scan,
    cell_headings,
    has_headings,
    has_markdown_text,
    is_rst,
    match_key,
    scan,
    slug,
)
from ctxtui.core.text.metadata.frontmatter import Frontmatter, read_frontmatter
from ctxtui.core.text.notebook import is_damaged, is_notebook

if TYPE_CHECKING:
    from ctxtui.core.text.code.cached import Mark
    from ctxtui.core.text.code.outline import Gap
    from ctxtui.core.text.code.parts import Marks
    from ctxtui.core.text.markdown.list_items import Items
    from ctxtui.core.text.markdown.tasks import Task

_TOO_LARGE = "too large to show its sections"
_TOO_COMPLEX = "too complex to show its sections"
# Slugs contain no brackets, so no heading can have these.
FRONTMATTER = "(frontmatter)"
PREAMBLE = "(preamble)"

# What a symbol has that is not the first of its name.
_REPEATED = re.compile(r"-\d+$")
# The fields that date a section, besides a date in its heading.
_DATES = frozenset({"date", "decided", "decided on", "adopted"})


class Part(NamedTuple):
    """A piece of a document that can be picked: frontmatter, preamble, or a section.

    Offsets are in characters: the own text reaches from `start` to `own_end`, nested sections to `end`. `line` counts
    from 0, `level` from 1, 0 for frontmatter and preamble. `parent` and `children` are positions in `Document.parts`.
    """

    slug: str
    name: str
    level: int
    start: int
    own_end: int
    end: int
    line: int
    parent: int | None
    children: tuple[int, ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether its name is a heading or symbol, not a line of code between symbols."""
        return not self.slug.rpartition(".")[2].startswith("(")


def may_have_sections(path: str) -> bool:
    """Whether headings or symbols of a file can be read here, judged by its name."""
    return has_headings(path) or has_grammar(path)


@dataclass(eq=False, repr=False)
class Document:
    """The text of one version of a file and its structure. Immutable, parsed on first use."""

    path: str
    text: str
    stamp: Stamp
    digest: bytes = b""
    damage: Notice | None = None
    cache: Cache | None = None

    @cached_property
    def frontmatter(self) -> Frontmatter | None:
        return read_frontmatter(self.text, self.path) if has_markdown_text(self.path) else None

    @property
    def body_start(self) -> int:
        return self.frontmatter.body if self.frontmatter else 0

    @property
    def body(self) -> str:
        """The text without frontmatter."""
        return self.text[self.body_start :]

    @cached_property
    def lines(self) -> Lines:
        return Lines.of(self.text)

    @cached_property
    def scan(self) -> Scan:
        """The structure of the body, for reStructuredText the headings alone. Empty for other or too large files."""
        if not has_headings(self.path) or len(self.text) > MAX_CHARACTERS:
            return Scan((), (), frozenset(), (), Lines.of(self.body))
        if is_rst(self.path):
            from ctxtui.core.text.markdown.rst import rst_headings  # noqa: PLC0415 - as in `_code`

            lines = Lines.of(self.body)
            return Scan(rst_headings(lines.split(self.body)), (), frozenset(), (), lines)
        found = scan(self.body)
        if not is_notebook(self.path):
            return found
        return replace(found, headings=tuple(cell_headings(self.body, found)))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Frontmatter, preamble and sections or symbols in file order. Their own texts partition the file."""
        return tuple(_parts(self))

    @cached_property
    def _code(self) -> Marks | None:
        if not language_of(self.path):
            return None
        from ctxtui.core.text.code.parts import read_marks  # noqa: PLC0415 - whole files are exported without their parts

        return read_marks(self.path, self.text, self.cache)

    @cached_property
    def outline_gaps(self) -> tuple[Gap, ...] | None:
        """The gaps of the outline of code, None without an outline."""
        from ctxtui.core.text.code.outline import outline_gaps  # noqa: PLC0415 - as in `_code`

        return outline_gaps(self.path, self.text, self.cache)

    @cached_property
    def _by_slug(self) -> dict[str, int]:
        return {part.slug: position for position, part in enumerate(self.parts)}

    @cached_property
    def items(self) -> Items:
        """The list items of the body. Empty unless the file is Markdown of a size that is outlined."""
        from ctxtui.core.text.markdown.list_items import Items, read_items  # noqa: PLC0415 - as in `_code`

        is_read = has_markdown_text(self.path) and len(self.text) <= MAX_CHARACTERS
        return read_items(self.body, self.scan) if is_read else Items((), ())

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The check-boxes of the body outside code and comments."""
        from ctxtui.core.text.markdown.tasks import read_tasks  # noqa: PLC0415 - as in `_code`

        return read_tasks(self.items, self.scan.headings)

    @cached_property
    def task_counts(self) -> list[Counter[str]]:
        """The number of tasks by status in every part, nested parts included."""
        counts: list[Counter[str]] = [Counter() for _ in self.parts]
        starts = [part.start for part in self.parts]
        for task in self.tasks:
            offset = self.body_start + self.scan.lines.start(task.line)
            position: int | None = bisect_right(starts, offset) - 1
            while position is not None and position >= 0:
                counts[position][task.status] += 1
                position = self.parts[position].parent
        return counts

    @cached_property
    def section_dates(self) -> list[str]:
        """The ISO date of every part, from its heading or a date field, "" without one."""
        return [_section_date(self, part) for part in self.parts]

    @property
    def why_undivided(self) -> str:
        """Why a code or data file has no sections, empty if nothing prevents them."""
        if has_headings(self.path):
            return ""
        if len(self.text) > MAX_CHARACTERS:
            return _TOO_LARGE
        return _TOO_COMPLEX if self._code and self._code.is_given_up else why_no_symbols(self.path)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Problems of bytes, metadata and size, and of the code if its parts were requested."""
        found: tuple[Notice, ...] = (self.damage,) if self.damage else ()
        found += self.frontmatter.notices if self.frontmatter else ()
        if len(self.text) > MAX_CHARACTERS and may_have_sections(self.path):
            found += (Notice("too-large-to-outline", _TOO_LARGE, self.path),)
        if is_notebook(self.path) and is_damaged(self.text):
            found += (Notice("damaged-notebook", "no cells can be read; shown and exported as JSON", self.path),)
        code: Marks | None = self.__dict__.get("_code")
        if code is not None and code.is_given_up:
            found += (Notice("too-complex-to-outline", _TOO_COMPLEX, self.path),)
        return found

    def position(self, part_slug: str) -> int | None:
        """The position of the part in `parts`, None for an unknown slug."""
        return self._by_slug.get(part_slug)

    def find(self, name: str) -> tuple[Part, ...]:
        """The part with the slug `name`, else all with that name or path of names (`A/B`, for symbols `A.B`)."""
        exact = self.position(name)
        if exact is not None:
            return (self.parts[exact],)
        if language_of(self.path):
            return self._find_symbols(name)
        sections = [part for part in self.parts if part.level]
        key = match_key(name)
        found = tuple(part for part in sections if match_key(part.name) == key)
        if found or "/" not in name:
            return found
        wanted = [match_key(step) for step in name.split("/")]
        trails = ((part, [match_key(each.name) for each in self.lineage(part)]) for part in sections)
        return tuple(part for part, trail in trails if trail[-len(wanted) :] == wanted)

    def _find_symbols(self, name: str) -> tuple[Part, ...]:
        """The symbols with a name or the end of a dotted path, matching case if possible."""
        wanted = name.replace("/", ".")
        for fold in (str, str.casefold):
            ending = fold(wanted)
            paths = [(part, fold(_REPEATED.sub("", part.slug))) for part in self.parts if part.level]
            found = tuple(
                part
                for part, path in paths
                if path == ending or path.endswith(f".{ending}") or fold(part.name) == ending
            )
            if found:
                return found
        return ()

    def lineage(self, part: Part) -> list[Part]:
        """The ancestors of a part, outermost first, and the part."""
        trail = [part]
        while trail[0].parent is not None:
            trail.insert(0, self.parts[trail[0].parent])
        return trail

    def own_text(self, part: Part) -> str:
        return self.text[part.start : part.own_end]


def _parts(document: Document) -> Iterator[Part]:
    """The parts in file order. There is a preamble if text precedes the first section, or the file is empty."""
    text, body = document.text, document.body_start
    offset_lines = document.lines
    marks = _marks(document) if document._code is None else document._code.marks
    first = marks[0].start if marks else len(text)
    position = 0
    if body:
        yield Part(FRONTMATTER, FRONTMATTER, 0, 0, body, body, 0, None)
        position += 1
    if first > body or not text:
        yield Part(PREAMBLE, PREAMBLE, 0, body, first, first, offset_lines.at(body), None)
        position += 1
    yield from _section_parts(marks, len(text), position, offset_lines)


def _marks(document: Document) -> tuple[Mark, ...]:
    from ctxtui.core.text.code.cached import Mark  # noqa: PLC0415 - as in `_code`

    body, found = document.body_start, document.scan
    slugs = unique_slugs([heading.name for heading in found.headings])
    return tuple(
        Mark(body + found.lines.start(heading.line), heading.level, heading.name, slug)
        for heading, slug in zip(found.headings, slugs, strict=True)
    )


def _section_parts(marks: tuple[Mark, ...], size: int, offset: int, lines: Lines) -> Iterator[Part]:
    """The parts from their starts in a text of `size` characters, after `offset` other parts."""
    parents, children, ends = _nesting(marks, size)
    for index, mark in enumerate(marks):
        own_end = marks[index + 1].start if index + 1 < len(marks) else size
        parent = parents[index]
        yield Part(
            mark.slug,
            mark.name,
            mark.level,
            mark.start,
            min(own_end, ends[index]),
            ends[index],
            lines.at(mark.start),
            None if parent is None else parent + offset,
            tuple(child + offset for child in children[index]),
        )


def _nesting(marks: tuple[Mark, ...], size: int) -> tuple[list[int | None], list[list[int]], list[int]]:
    """For each mark, the positions of its parent and of its children, and the end of its section with nested ones."""
    parents: list[int | None] = []
    children: list[list[int]] = [[] for _ in marks]
    ends = [size] * len(marks)
    above: list[int] = []
    for index, mark in enumerate(marks):
        while above and marks[above[-1]].level >= mark.level:
            ends[above.pop()] = mark.start
        parents.append(above[-1] if above else None)
        if above:
            children[above[-1]].append(index)
        above.append(index)
    return parents, children, ends


def unique_slugs(names: list[str]) -> list[str]:
    """GitHub's heading anchors in order: repeats get `-1`, `-2`. A name without letters and digits is a `section`."""
    taken: dict[str, int] = {}
    result = []
    for name in names:
        base = candidate = slug(name) or "section"
        while candidate in taken:
            taken[base] += 1
            candidate = f"{base}-{taken[base]}"
        taken[candidate] = 0
        result.append(candidate)
    return result


def _section_date(document: Document, part: Part) -> str:
    """The ISO date of a part from its heading, else from a date field of its own text, "" without one."""
    from ctxtui.core.text.markdown.inline_fields import DATE, find_fields  # noqa: PLC0415 - as in `_code`

    named = DATE.search(part.name) if part.level else None
    if named:
        return named[1]
    if not part.level or not DATE.search(document.own_text(part)):
        return ""
    lines, body = document.scan.lines, document.body_start
    last = lines.at(max(part.start, part.own_end - 1) - body)
    own = document.items.lines[lines.at(part.start - body) + 1 : last + 1]
    found = (DATE.search(value) for key, value in find_fields(own).items() if key.casefold() in _DATES)
    return next((match[1] for match in found if match), "")
