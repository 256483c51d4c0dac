"""The parts that a Markdown text loses first under a budget: comments, done tasks, the oldest dated sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxtui.core.text.markdown.inline_fields import DATE
from ctxtui.core.text.markdown.list_items import Items, read_items
from ctxtui.core.text.markdown.scan import Scan
from ctxtui.core.text.markdown.tasks import line_owners


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that are dropped together, last before first; an indivisible group is kept or dropped whole."""

    lines: Sequence[int]
    is_divisible: bool = True


def droppable(lines: Sequence[str], structure: Scan, items: Items | None = None) -> list[Group]:
    """The groups of a text's lines in the order they are dropped; a line in several belongs to the first."""
    dated = [Group(section) for section in _dated_sections(structure, len(lines))]
    return [*_comments(structure), *_done_tasks(lines, structure, items), *dated]


def _comments(structure: Scan) -> Iterator[Group]:
    """All comments, the last one first."""
    for start, end in reversed(structure.comments):
        yield Group(range(start, end), is_divisible=False)


def _done_tasks(lines: Sequence[str], structure: Scan, items: Items | None) -> Iterator[Group]:
    """The own lines of done tasks, the last one first; open tasks nested in one are kept."""
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
    """The lines of each section with a date in its heading except the newest, oldest first.

    A section nested in another one uses its own date.
    """
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
