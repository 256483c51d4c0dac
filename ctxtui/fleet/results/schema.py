"""The tables of a results file, and how it is opened.

A file holds any number of runs. Equal file contents are stored once, for all repositories and runs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.disk.database import FAILURES, prepare_or_close, use_write_ahead_log
from ctxtui.core.disk.root import require_inside
from ctxtui.fleet.results.read import KeptRepository, defined
from ctxtui.fleet.types import AgentStart, Fault

# "ctxf" in ASCII, the application id of results files.
_APPLICATION: Final = 0x63747866
_VERSION: Final = 1
_WAIT: Final = 30.0
_MAGIC: Final = b"SQLite format 3\x00"
_HEADER: Final = 100

# `run` and `repository` are ids. Contents and texts are unique by digest and tokenizer.
_TABLES: Final = f"""
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, program TEXT NOT NULL, tokenizer TEXT NOT NULL,
    members BLOB NOT NULL, size INTEGER NOT NULL);
CREATE TABLE repositories (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, {defined(KeptRepository)}, UNIQUE (run, name));
CREATE TABLE agents (
    repository INTEGER NOT NULL REFERENCES repositories, {defined(AgentStart)}, PRIMARY KEY (repository, agent))
    WITHOUT ROWID;
CREATE TABLE findings (repository INTEGER NOT NULL REFERENCES repositories, {defined(Fault)});
CREATE INDEX findings_of ON findings (repository);
CREATE TABLE contents (
    id INTEGER PRIMARY KEY, tokenizer TEXT NOT NULL, digest BLOB NOT NULL, tokens INTEGER NOT NULL,
    UNIQUE (tokenizer, digest));
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, tokenizer TEXT NOT NULL, digest BLOB NOT NULL, head TEXT NOT NULL,
    UNIQUE (tokenizer, digest));
CREATE TABLE blocks (
    content INTEGER NOT NULL REFERENCES contents, position INTEGER NOT NULL, text INTEGER NOT NULL REFERENCES texts,
    line INTEGER NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (content, position)) WITHOUT ROWID;
CREATE INDEX blocks_with ON blocks (text);
CREATE TABLE files (
    repository INTEGER NOT NULL REFERENCES repositories, path TEXT NOT NULL, kind TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES contents, start INTEGER NOT NULL, PRIMARY KEY (repository, path))
    WITHOUT ROWID;
CREATE INDEX files_with ON files (content);
"""


def is_results(path: Path) -> bool:
    """Whether a file starts with the header of a results file."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError:
        return False
    return header.startswith(_MAGIC) and header[68:72] == _APPLICATION.to_bytes(4)


def open_to_read(path: Path) -> sqlite3.Connection:
    """A read-only connection. Raises NotFound, or ContextError (invalid_request) if it has no results."""
    if not path.exists():
        raise NotFound(f"{path} does not exist", hint="ctxtui fleet LIST -o FILE makes it")
    return _opened(path, "ro")


def open_to_write(path: Path) -> sqlite3.Connection:
    """A write connection to a file, created if missing.

    Raises ContextError: invalid_request if the file does not contain results or is a link that leads elsewhere,
    unavailable if it is not writable.
    """
    require_inside(path)
    return _opened(path, "rwc")


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode={mode}", uri=True, timeout=_WAIT, isolation_level=None
        )
        return prepare_or_close(connection, lambda opened: _prepare(opened, path, mode == "rwc"))
    except FAILURES as error:
        if isinstance(error, sqlite3.OperationalError | OSError):
            raise ContextError("unavailable", f"cannot use {path}: {error}") from error
        raise _not_ours(path) from error


def _prepare(connection: sqlite3.Connection, path: Path, is_written: bool) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    (application,), (version,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if is_written and application == 0 and not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_VERSION};"
            f"{_TABLES} COMMIT;"
        )
    elif application != _APPLICATION:
        raise _not_ours(path)
    elif version != _VERSION:
        raise invalid(f"{path} was written by another version of ctxtui", hint="audit the fleet into a new file")
    if is_written:
        use_write_ahead_log(connection)
    # A killed process loses nothing. Only a power failure may lose the last repositories.
    connection.execute("PRAGMA synchronous = NORMAL")


def leave_one_file(connection: sqlite3.Connection) -> None:
    """End a run without a log beside the file, unless another process reads the file right now.

    A later reader cannot write, and would leave the log that it opens.
    """
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


def _not_ours(path: Path) -> ContextError:
    return invalid(f"{path} does not hold results of a fleet", hint="name a file that ctxtui fleet wrote")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection. Raises as `open_to_read` does, and ContextError (unavailable) for a damaged file."""
    with closing(open_to_read(path)) as connection:
        try:
            yield connection
        except FAILURES as error:
            hint = "copy the file again, or audit the fleet into a new one"
            raise ContextError("unavailable", f"cannot read {path}: {error}", hint=hint) from error
