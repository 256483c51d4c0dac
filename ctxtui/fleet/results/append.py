"""Appending what was found to the results: one transaction for each repository, so that a killed run can go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple

from ctxtui.fleet.results.columns import inserting, names_of
from ctxtui.fleet.results.read import KeptRepository
from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Outcome


class Run(NamedTuple):
    """A run: its number, counted from 1 in each file, and the names of the repositories that it has already."""

    id: int
    done: frozenset[str]


def begin(
    connection: sqlite3.Connection, program: str, tokenizer: str, members: bytes, size: int, fresh: bool = False
) -> Run:
    """A new run, or the last one if it did not end and was about the same `members` (a digest) and tokenizer.

    With `fresh`, always a new one; `size` is the number of repositories.
    """
    kept = connection.execute(
        "SELECT id, ended, program, tokenizer, members FROM runs ORDER BY id DESC LIMIT 1"
    ).fetchone()
    if kept is not None and not fresh and kept[1:] == (None, program, tokenizer, members):
        names = connection.execute("SELECT name FROM repositories WHERE run = ?", (kept[0],))
        return Run(kept[0], frozenset(name for (name,) in names))
    made = connection.execute(
        "INSERT INTO runs (began, program, tokenizer, members, size) VALUES (?, ?, ?, ?, ?)",
        (_now(), program, tokenizer, members, size),
    )
    return Run(made.lastrowid or 0, frozenset())


def end(connection: sqlite3.Connection, run: int) -> None:
    """Mark a run as complete."""
    connection.execute("UPDATE runs SET ended = ? WHERE id = ?", (_now(), run))


def append(connection: sqlite3.Connection, run: int, tokenizer: str, outcomes: Iterable[Outcome]) -> None:
    """Add what was found in some repositories, each of them whole or not at all; none that the run has already."""
    for outcome in outcomes:
        with at_once(connection):
            _append(connection, run, tokenizer, outcome)


@contextmanager
def at_once(connection: sqlite3.Connection) -> Iterator[None]:
    """What is written within it is written as a whole, or not at all if it ends with an exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _append(connection: sqlite3.Connection, run: int, tokenizer: str, outcome: Outcome) -> None:
    known = outcome.member._asdict() | outcome._asdict()
    values = (None, run, *(known[name] for name in names_of(KeptRepository)))
    made = connection.execute(inserting("INSERT OR IGNORE INTO repositories", len(values)), values)
    if not made.rowcount:
        return
    id_ = made.lastrowid
    for into, kind, rows in (
        ("INSERT INTO agents", AgentStart, outcome.agents),
        ("INSERT INTO findings", Fault, outcome.faults),
    ):
        connection.executemany(inserting(into, 1 + len(names_of(kind))), ((id_, *each) for each in rows))
    for file in outcome.context:
        content = _content(connection, tokenizer, file)
        connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?)", (id_, file.path, file.kind, content, file.start)
        )


def _content(connection: sqlite3.Connection, tokenizer: str, file: ContextFile) -> int:
    """The id of what a file says; its blocks are written if no file said it before."""
    key = (tokenizer, file.digest)
    known = connection.execute("SELECT id FROM contents WHERE tokenizer = ? AND digest = ?", key).fetchone()
    if known is not None:
        return int(known[0])
    made = connection.execute(
        "INSERT INTO contents (tokenizer, digest, tokens) VALUES (?, ?, ?)", (*key, file.tokens)
    )
    content = made.lastrowid or 0
    connection.executemany(
        "INSERT OR IGNORE INTO texts (tokenizer, digest, head) VALUES (?, ?, ?)",
        ((tokenizer, block.digest, block.head) for block in file.blocks),
    )
    connection.executemany(
        "INSERT INTO blocks SELECT ?, ?, id, ?, ? FROM texts WHERE tokenizer = ? AND digest = ?",
        (
            (content, position, block.line, block.tokens, tokenizer, block.digest)
            for position, block in enumerate(file.blocks)
        ),
    )
    return content


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
