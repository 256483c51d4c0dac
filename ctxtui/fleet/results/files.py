"""The files of a run by their sizes."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class LargeFile(NamedTuple):
    """A context file: the name of its repository, its path and kind, and its tokens."""

    repository: str
    path: str
    kind: str
    tokens: int


def files_above(connection: sqlite3.Connection, run: int, kind: str, tokens: int) -> list[LargeFile]:
    """The files of a kind that have more than some tokens, by repository, the largest first."""
    rows = connection.execute(
        "SELECT name, path, kind, contents.tokens FROM files JOIN repositories AS r ON r.id = repository"
        " JOIN contents ON contents.id = content WHERE run = ? AND kind = ? AND contents.tokens > ?"
        " ORDER BY name, contents.tokens DESC, path",
        (run, kind, tokens),
    )
    return [LargeFile(*row) for row in rows]
