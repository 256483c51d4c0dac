"""The truncation ladder of Markdown: the parts that a text loses under a budget, least important first.

Comments go first, then done tasks, then the oldest dated sections, then the last blocks. The heading outline or the
mark alone remains. Each rung contains the next, so more room never shows less. Every rung contains the mark. Code in
Markdown is never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxtui.core.payload.cuts import NOTHING, Cut, Cuts, is_gap, largest_fitting
from ctxtui.core.payload.formats import full_line
from ctxtui.core.text.markdown.inline_fields import DATE
from ctxtui.core.text.markdown.list_items import Items, read_items
from ctxtui.core.text.markdown.scan import Scan, scan_beginning
from ctxtui.core.text.markdown.tasks import line_owners

MARK = "[truncated]\n"

Size = Callable[[str], int]
"""Measures a text. A longer text must not measure less."""


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers of lines, from 0, that are dropped together: from the last on, or all at once if not `is_divisible`."""

    lines: Sequence[int]
    is_divisible: bool = True


def _done_tasks(lines: Sequence[str], structure: Scan, items: Items | None) -> Iterator[Group]:
    """The lines of done tasks, the last task first, without open tasks nested in them."""
    if not any("[x]" in line or "[X]" in line for line in lines):
        return
    items = items or read_items("".join(lines), structure)
    tasks = [bullet for bullet in items.bullets if bullet.box]
    own: list[list[int]] = [[] for _ in tasks]
    for number, owner in enumerate(line_owners(items, lines)):
        if owner is not None and lines[number].strip():
            own[owner].append(number)
    for task, group in zip(reversed(tasks), reversed(own), strict=True):
        if task.box == "x":
            yield Group(group)


def _dated_sections(structure: Scan, size: int) -> list[list[int]]:
    """The lines of each section with a date in its heading but the newest, oldest first. `size` counts all lines."""
    dates: list[tuple[str, int]] = []
    own: dict[int, list[int]] = {}
    above: list[tuple[int, int | None]] = []
    headings = structure.headings
    ends = [*(heading.line for heading in headings), size][1:]
    for heading, end in zip(headings, ends, strict=True):
        while above and above[-1][0] >= heading.level:
            above.pop()
        match = DATE.search(heading.name)
        dated = heading.line if match else above[-1][1] if above else None
        above.append((heading.level, dated))
        if match:
            dates.append((match[1], heading.line))
        if dated is not None:
            own.setdefault(dated, []).extend(range(heading.line, end))
    return [own[line] for _, line in sorted(dates)[:-1]]


class Ladder:
    """A Markdown text prepared to be cut to any size, with `structure` and `items` if known."""

    def __init__(self, body: str, structure: Scan | None = None, items: Items | None = None) -> None:
        if structure is None:
            body, structure = scan_beginning(body)
        self._lines = structure.lines.split(body)
        self.weight = len(body) + 256 * len(self._lines)
        self._headings = structure.headings
        comments = (Group(range(start, end), is_divisible=False) for start, end in reversed(structure.comments))
        dated = map(Group, _dated_sections(structure, len(self._lines)))
        self._groups = [*comments, *_done_tasks(self._lines, structure, items), *dated]
        # The group of every line, counted from 1, 0 for lines dropped last. A line in several belongs to the first.
        self._rank = [0] * len(self._lines)
        for rank in range(len(self._groups), 0, -1):
            for line in self._groups[rank - 1].lines:
                self._rank[line] = rank
        self._kept = [line for line, rank in enumerate(self._rank) if not rank]
        self._cuts = Cuts(self._lines, structure)

    @property
    def outline(self) -> str:
        """The headings with the mark after them, or the mark alone without headings."""
        return "".join(f"{'#' * heading.level} {heading.name}\n" for heading in self._headings) + MARK

    def cut(self, size: Size, room: int) -> str:
        """The longest version of the text whose `size` is at most `room`. At worst the mark alone, even above it."""
        found = self._largest(lambda text: is_within(text, size, room))
        # Each line takes at least 1 unit, so rungs that cannot fit are not measured.
        outline = self.outline if len(self._headings) < room else MARK
        if outline != MARK and size(outline) <= room and (found == MARK or size(outline) > size(found)):
            return outline
        return found

    def fluid(self) -> str:
        """The longest version of the text that can shrink without losing a large piece at once, such as code."""
        gap = self._cuts.first_gap(self._kept, 0)
        if gap is not None:
            return self._beginning(gap)
        shown = sum(len(self._lines[line]) for line in self._kept)
        for lost in range(len(self._groups), 0, -1):
            own = self._own(lost)
            size = sum(len(self._lines[line]) for line in own)
            if is_gap(size, shown):
                gap = self._cuts.first_gap(own, shown) if self._groups[lost - 1].is_divisible else NOTHING
                if gap is not None:
                    return self._without(lost, gap)
            shown += size
        return self._without(0)

    def _largest(self, fits: Callable[[str], bool]) -> str:
        count = len(self._groups)
        if not fits(self._without(count)):
            return self._beginning(self._cuts.longest(self._kept, 0, lambda cut: fits(self._beginning(cut))))
        lost = count - largest_fitting(lambda more: fits(self._without(count - more)), count)
        found = self._without(lost)
        if not lost or not self._groups[lost - 1].is_divisible:
            return found
        cut = self._cuts.longest(self._own(lost), len(found), lambda cut: fits(self._without(lost, cut)))
        return self._without(lost, cut)

    def _own(self, group: int) -> list[int]:
        """The lines that are dropped with a group, given by its number, from 1."""
        return [line for line in self._groups[group - 1].lines if self._rank[line] == group]

    def _beginning(self, cut: Cut) -> str:
        """The lines outside all groups up to a cut, and the mark."""
        kept = "".join(self._lines[line] for line in self._kept[: cut.lines])
        return marked(kept + self._partial_line(self._kept, cut))

    def _without(self, lost: int, cut: Cut = NOTHING) -> str:
        """The text without its first `lost` groups, but with the part of the last of them that is before `cut`."""
        if cut == NOTHING:
            return marked(self._join(0, len(self._lines), lost))
        own = self._own(lost)
        end = own[cut.lines] if cut.characters else own[cut.lines - 1] + 1
        found = marked(self._join(0, end, lost - 1) + self._partial_line(own, cut))
        rest = self._join(end, len(self._lines), lost)
        return marked(found + rest) if rest.strip() else found

    def _join(self, start: int, end: int, lost: int) -> str:
        lines = zip(self._lines[start:end], self._rank[start:end], strict=True)
        return "".join(line for line, rank in lines if not 0 < rank <= lost)

    def _partial_line(self, numbers: list[int], cut: Cut) -> str:
        return self._lines[numbers[cut.lines]][: cut.characters] if cut.characters else ""


def is_within(text: str, size: Size, room: int) -> bool:
    """Whether the `size` of a text is at most `room`, or the text is the mark alone."""
    return text == MARK or size(text) <= room


def marked(text: str) -> str:
    """A text with the mark on a line of its own after it. The mark alone if the text is blank."""
    return full_line(text) + MARK if text.strip() else MARK
