"""What was found in texts, kept on disk by their content, so that no text is searched twice for the same."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from ctxtui.core.database import FAILURES, connected, is_damaged, write_ahead
from ctxtui.core.program import program_state

# The file grows with every text and every version of this program; then it starts from nothing.
_MOST_BYTES: Final = 512 * 1024 * 1024
_CHECK: Final = 8
# Rows of one query.
_AT_ONCE: Final = 500
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS passes (key BLOB PRIMARY KEY, found BLOB NOT NULL)"


class Cache:
    """Results by their kind and the digest of the text; safe for several threads and processes.

    Results of another version of this program are never found. Without a directory, and if the file is damaged or
    cannot be written, they are known to this process only until the next `flush`.
    """

    def __init__(self, directory: Path | None) -> None:
        self._file = directory / "cache.sqlite3" if directory else None
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._new: dict[bytes, bytes] = {}
        self._foreseen: dict[tuple[str, bytes], bytes] = {}
        # Whether nothing was in the file when it was opened.
        self._is_empty = False

    @property
    def directory(self) -> Path | None:
        """Where results are kept; None if they are not."""
        return self._file.parent if self._file else None

    def find(self, kind: str, digest: bytes) -> bytes | None:
        """What was found in a text; None if that is not known."""
        if self._file is None:
            return None
        if (kind, digest) in self._foreseen:
            return self._foreseen[kind, digest]
        key = self._key(kind, digest)
        with self._lock:
            if key in self._new:
                return self._new[key]
            row = self._row(key)
        return row[_CHECK:] if _is_whole(key, row) else None

    def foresee(self, wanted: Iterable[tuple[str, bytes]]) -> None:
        """Read what many kinds and digests will be asked for until the next `flush`, in a few queries."""
        if self._file is None:
            return
        keys = {self._key(*each): each for each in wanted}
        with self._lock:
            listed = list(keys)
            for start in range(0, len(listed), _AT_ONCE):
                for key, row in self._rows(listed[start : start + _AT_ONCE]):
                    if _is_whole(key, row):
                        self._foreseen[keys[key]] = row[_CHECK:]

    def _rows(self, keys: Sequence[bytes]) -> list[tuple[bytes, Any]]:
        if self._file is None:
            return []
        query = f"SELECT key, found FROM passes WHERE key IN ({', '.join('?' * len(keys))})"  # noqa: S608
        try:
            database = self._opened(self._file)
            return [] if self._is_empty else database.execute(query, keys).fetchall()
        except FAILURES as error:
            self._fail(error)
            return []

    def _row(self, key: bytes) -> Any:
        if self._file is None:
            return None
        try:
            database = self._opened(self._file)
            if self._is_empty:
                return None
            row = database.execute("SELECT found FROM passes WHERE key = ?", (key,)).fetchone()
        except FAILURES as error:
            self._fail(error)
            return None
        return row[0] if row else None

    def keep(self, kind: str, digest: bytes, found: bytes) -> None:
        """Keep what was found in a text, which must hold no secret; written by the next `flush`."""
        if self._file is not None:
            with self._lock:
                self._new[self._key(kind, digest)] = found

    def taken(self) -> dict[bytes, bytes]:
        """What was kept since the last flush, for another process to `give`; it is not written here."""
        with self._lock:
            new, self._new = self._new, {}
        return new

    def give(self, found: dict[bytes, bytes]) -> None:
        """Keep what another process of this version of the program found, as `taken` there."""
        if self._file is not None:
            with self._lock:
                self._new |= found

    def flush(self) -> None:
        """Write what was kept since the last flush, and close the file."""
        with self._lock:
            new, self._new = self._new, {}
            self._foreseen = {}
            try:
                if new and self._file is not None:
                    self._write(self._opened(self._file), new)
            except FAILURES as error:
                self._fail(error)
            self._close()

    @staticmethod
    def _write(database: sqlite3.Connection, new: dict[bytes, bytes]) -> None:
        database.commit()
        with database:
            pages, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            if pages * size > _MOST_BYTES:
                database.execute("DELETE FROM passes")
            rows = ((key, _check(key, found) + found) for key, found in new.items())
            database.executemany("INSERT OR REPLACE INTO passes VALUES (?, ?)", rows)

    @staticmethod
    def _key(kind: str, digest: bytes) -> bytes:
        hashed = _keyed().copy()
        hashed.update(b"%b\0%b" % (kind.encode(), digest))
        return hashed.digest()

    def _opened(self, file: Path) -> sqlite3.Connection:
        if self._database is None:
            # The lock keeps threads apart.
            self._database = connected(file, self._prepare, check_same_thread=False)
        return self._database

    def _prepare(self, database: sqlite3.Connection) -> None:
        write_ahead(database)
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute(f"PRAGMA mmap_size={_MOST_BYTES}")
        database.execute(_SCHEMA)
        # One snapshot for all reads: a lock for each would take longer than reading.
        database.execute("BEGIN")
        self._is_empty = database.execute("SELECT 1 FROM passes LIMIT 1").fetchone() is None

    def _fail(self, error: Exception) -> None:
        """Do without the file from now on; what is not a database stays broken and goes."""
        self._close()
        file, self._file = self._file, None
        if is_damaged(error) and file is not None:
            with suppress(OSError):
                file.unlink()

    def _close(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error), closing(self._database):
                self._database = None


@cache
def _keyed() -> blake2b:
    # A copy takes half the time of another one with the same key.
    return blake2b(digest_size=16, key=program_state())


def _is_whole(key: bytes, row: Any) -> bool:
    return isinstance(row, bytes) and row[:_CHECK] == _check(key, row[_CHECK:])


def _check(key: bytes, found: bytes) -> bytes:
    return blake2b(key + found, digest_size=_CHECK).digest()
