"""What all databases share: how they keep a log for several processes, and how those of the cache fail."""

from __future__ import annotations

import sqlite3
import time
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


def write_ahead(database: sqlite3.Connection) -> None:
    """Let one process write while others read; raises sqlite3.Error.

    SQLite does not wait for a process that is about to do the same with a new file, so this does.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return
