"""How databases of the cache fail: damaged ones are made again, all others are done without."""

from __future__ import annotations

import sqlite3
from typing import Final

# A damaged file may name its own tables in bytes that are not text.
FAILURES: Final = (sqlite3.Error, OSError, UnicodeDecodeError)
"""What opening and using a database file may raise."""


def is_damaged(error: Exception) -> bool:
    """Whether a failure means that the file is not a database and stays broken; one that is locked may recover."""
    is_broken = isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)
    return is_broken and not isinstance(error, sqlite3.OperationalError)
