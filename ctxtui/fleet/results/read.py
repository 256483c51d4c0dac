"""Reading results: the runs of a file, and the repositories of a run."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ctxtui.core.base.errors import NotFound
from ctxtui.fleet.results.columns import selecting


class KeptRun(NamedTuple):
    """A run as it was kept: `ended` is None if it did not end; `size` is the number of repositories it is about.

    Times are in UTC, as ISO 8601 has them.
    """

    id: int
    began: str
    ended: str | None
    program: str
    tokenizer: str
    size: int


class KeptRepository(NamedTuple):
    """A repository of a run; `error` is empty if it was audited."""

    id: int
    name: str
    place: str
    error: str
    commit: str
    files: int
    tokens: int
    bytes: int
    seconds: float


def runs(connection: sqlite3.Connection) -> list[KeptRun]:
    """All runs, oldest first."""
    rows = connection.execute("SELECT id, began, ended, program, tokenizer, size FROM runs ORDER BY id")
    return [KeptRun(*row) for row in rows]


def find_run(connection: sqlite3.Connection, number: int | None = None) -> KeptRun:
    """The run with a number, else the last that ended, else the last; raises NotFound if there is none."""
    kept = runs(connection)
    if number is not None:
        kept = [run for run in kept if run.id == number]
    found = next((run for run in reversed(kept) if run.ended), kept[-1] if kept else None)
    if found is None:
        what = "no run" if number is None else f"no run {number}"
        raise NotFound(f"the results have {what}", hint="ctxtui fleet LIST -o FILE adds one")
    return found


def run_before(connection: sqlite3.Connection, run: KeptRun) -> KeptRun | None:
    """The last run before another that ended and counted with the same tokenizer."""
    earlier = [each for each in runs(connection) if each.id < run.id and each.ended]
    return next((each for each in reversed(earlier) if each.tokenizer == run.tokenizer), None)


def repositories(connection: sqlite3.Connection, run: int) -> list[KeptRepository]:
    """The repositories of a run, by name."""
    query = selecting(KeptRepository, "repositories", "WHERE run = ? ORDER BY name", "id, ")
    return [KeptRepository(*row) for row in connection.execute(query, (run,))]
