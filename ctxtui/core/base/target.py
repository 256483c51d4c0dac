"""Targets: what an id means, a document or folder, or a part of a document by its slug."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_LINES: Final = re.compile(r"L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?")


class Target(NamedTuple):
    """A document or folder by its id, and the slug of a part or some lines; no section means all of it.

    Written `document#section` or `document#L10-L20`. Ids of documents hold no `#` (`encode_id`), and those of folders
    end with `/`.
    """

    document: str
    section: str = ""

    @staticmethod
    def parse(text: str) -> Target:
        """The target that a text names; a folder has no parts, even if its name looks like one."""
        document, _, section = ("", "", "") if text.endswith("/") else text.partition("#")
        return Target(document or text, section if document else "")

    @staticmethod
    def of_block(text: str) -> Target:
        """The query and its item that the id of a block names; of the two only the query's own name may hold `#`."""
        query, _, item = text.rpartition("#")
        return Target(query, item)

    @staticmethod
    def of_lines(document: str, first: int, last: int) -> Target:
        """Some lines of a document, from 1, the last one included."""
        return Target(document, f"L{first}-L{last}")

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and last line that the section names, unless it can only be a slug."""
        found = _LINES.fullmatch(self.section)
        return (int(found[1]), int(found[2] or found[1])) if found else None

    def __str__(self) -> str:
        return f"{self.document}#{self.section}" if self.section else self.document
