"""The cells of a notebook as sections of its text, within those of its headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxtui.core.text.markdown.scan import Heading, Scan
from ctxtui.core.text.notebook import CELL


def cell_headings(text: str, scan: Scan) -> tuple[Heading, ...]:
    """The headings of a notebook, and one for each cell that does not begin with a heading.

    A heading at the beginning of a cell takes the line before it, which numbers the cell.
    """
    return tuple(_merged(scan.lines.split(text), scan))


def _merged(lines: Sequence[str], scan: Scan) -> Iterator[Heading]:
    by_line = {heading.line: heading for heading in scan.headings}
    # A line in a fence may look like one of ours, but is not a comment.
    comments = {first for first, _ in scan.comments}
    level = 0
    for number, line in enumerate(lines):
        heading = by_line.get(number)
        match = CELL.fullmatch(line.rstrip()) if number in comments else None
        if heading is not None:
            level = heading.level
            begins_cell = number - 1 in comments and CELL.fullmatch(lines[number - 1].rstrip()) is not None
            yield Heading(heading.name, heading.level, number - 1) if begins_cell else heading
        elif match is not None and number + 1 not in by_line:
            yield Heading(f"cell {match[1]}", level + 1, number)
