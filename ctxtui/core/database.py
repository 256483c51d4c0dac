"""What all databases share: how they keep a log for several processes, and how those of the cache fail."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 5.0
"""The seconds that a database which another process uses is waited for."""
_PAUSE: Final = 0.005

# A damaged file may name its own tables in bytes that are not text.
FAILURES: Final = (sqlite3.Error, OSError, UnicodeDecodeError)
"""What opening and using a database file may raise."""


def is_damaged(error: Exception) -> bool:
    """Whether a failure means that the file is not a database and stays broken; one that is locked may recover."""
    is_broken = isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)
    return is_broken and not isinstance(error, sqlite3.OperationalError)


def prepared(database: sqlite3.Connection, prepare: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """A database that was just opened, prepared; it is closed if that fails, with the exception of `prepare`."""
    try:
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def write_ahead(database: sqlite3.Connection) -> None:
    """Let one process write while others read; raises sqlite3.Error.

    SQLite does not wait for a process that is about to do the same with a new file, so this does.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            # The lowest byte is the kind of an error, what is above it says more.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return
