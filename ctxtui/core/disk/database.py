"""SQLite databases: file modes, locking between processes, failures."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ctxtui.core.disk.own_folders import private_file

PATIENCE: Final = 5.0
"""The wait in seconds for a database that another process has locked."""
_PAUSE: Final = 0.005
Prepare = Callable[[sqlite3.Connection], object]

# The schema of a damaged file may hold bytes that are not text.
FAILURES: Final = (sqlite3.Error, OSError, UnicodeDecodeError)
"""The exceptions of opening and using a database file."""


def is_damaged(error: Exception) -> bool:
    """Whether a failure means permanent damage. False for a locked database, which may recover."""
    is_broken = isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)
    return is_broken and not isinstance(error, sqlite3.OperationalError)


def open_database(file: Path, prepare: Prepare, **options: Any) -> sqlite3.Connection:
    """Connect to a private file, created if missing, and `prepare` it. Raises `FAILURES`, OSError for a link."""
    if file.is_symlink():
        raise OSError(f"{file} is a link")
    # SQLite gives its log the mode of the database.
    return prepare_or_close(sqlite3.connect(private_file(file), timeout=PATIENCE, **options), prepare)


def prepare_or_close(database: sqlite3.Connection, prepare: Prepare) -> sqlite3.Connection:
    """The given `database` after `prepare`, whose exceptions close it and pass through."""
    try:
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def use_write_ahead_log(database: sqlite3.Connection) -> None:
    """Let one process write while others read. Waits up to `PATIENCE` for a process that does the same to a new file.

    Raises sqlite3.Error.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            # The lowest byte is the kind of an error, the rest a detail.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return
