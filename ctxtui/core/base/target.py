"""Targets: a document, a folder, or a part of a document by slug or lines."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

OUTLINE: Final = "(outline)"
"""The section of a target that is the outline of a whole file. No slug contains brackets."""

_LINES: Final = re.compile(r"L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?")


class Target(NamedTuple):
    """The id of a document or folder, and the slug of a part or a range of lines. An empty section means all of it.

    Written `document#section`, `document#L10-L20` or `document#(outline)`. Ids of documents contain no `#`
    (`encode_id`). Ids of folders end with `/`.
    """

    document: str
    section: str = ""

    @staticmethod
    def parse(text: str) -> Target:
        """Parse a target. A folder has no parts, even if its name contains `#`."""
        document, _, section = ("", "", "") if text.endswith("/") else text.partition("#")
        return Target(document or text, section if document else "")

    @staticmethod
    def of_block(text: str) -> Target:
        """Split the id of a block of a query at its last `#`: the query as document, the item as section."""
        query, _, item = text.rpartition("#")
        return Target(query, item)

    @staticmethod
    def of_lines(document: str, first: int, last: int) -> Target:
        """Lines `first` to `last` of a document, counted from 1, both included."""
        return Target(document, f"L{first}-L{last}")

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and last line of a section that is a range of lines, else None."""
        found = _LINES.fullmatch(self.section)
        return (int(found[1]), int(found[2] or found[1])) if found else None

    def __str__(self) -> str:
        return f"{self.document}#{self.section}" if self.section else self.document
