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

# The schema of a damaged file may hold bytes that are not text.
FAILURES: Final = (sqlite3.Error, OSError, UnicodeDecodeError)
"""The exceptions of opening and using a database file."""


def is_damaged(error: Exception) -> bool:
    """Whether a failure means permanent damage. A locked database may recover."""
    is_broken = isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)
    return is_broken and not isinstance(error, sqlite3.OperationalError)


def connected(file: Path, prepare: Callable[[sqlite3.Connection], object], **options: Any) -> sqlite3.Connection:
    """A connection to a private file, created if missing, after `prepare`. Raises sqlite3.Error and OSError."""
    if file.is_symlink():
        raise OSError(f"{file} is a link")
    # SQLite gives its log the mode of the database.
    return prepared(sqlite3.connect(private_file(file), timeout=PATIENCE, **options), prepare)


def prepared(database: sqlite3.Connection, prepare: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """An open database after `prepare`, whose exceptions close it."""
    try:
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def write_ahead(database: sqlite3.Connection) -> None:
    """Let one process write while others read, by SQLite's write-ahead log. Raises sqlite3.Error.

    If another process does the same to a new file, waits for it.
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
