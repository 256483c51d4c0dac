"""Targets: what an id means, a document or folder, or a part of a document by its slug."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """A document or folder by its id, and the slug of a part; no section means all of it.

    Written `document#section`. Ids of documents hold no `#` (`encode_id`), and those of folders end with `/`.
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

    def __str__(self) -> str:
        return f"{self.document}#{self.section}" if self.section else self.document
