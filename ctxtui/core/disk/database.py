"""What all databases share: who may read them, how several processes use them, and how those of the cache fail."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ctxtui.core.disk.private import private_file

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


def connected(file: Path, prepare: Callable[[sqlite3.Connection], object], **options: Any) -> sqlite3.Connection:
    """A database of ctxtui's own, made if it is missing, that no other user can read, and prepared.

    Raises as `prepare` does, sqlite3.Error and OSError.
    """
    if file.is_symlink():
        raise OSError(f"{file} is a link")
    # SQLite gives its log the mode of the database.
    return prepared(sqlite3.connect(private_file(file), timeout=PATIENCE, **options), prepare)


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
