"""The cache: one SQLite file in the user's cache folder, which saves time and never decides a result.

It holds facts by the digest of a content, snapshots by key, and the versions of counted files. Rows that are damaged,
forged, evicted or of another version of this program are computed again. `CTXTUI_CACHE=off` turns it off:
`tests/test_agreement.py` gets the same answers both ways.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from zlib import crc32

from ctxtui.core.base.digest import digest_of, program_digest
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.consents import own_key
from ctxtui.core.disk.database import FAILURES, is_damaged, open_database, use_write_ahead_log
from ctxtui.core.disk.own_folders import own_cache

Value = TypeVar("Value")

NAME: Final = "cache.sqlite3"
"""The file name in the cache folder."""
# Above this size, the older half of the rows is deleted.
_MOST_BYTES: Final = 512 * 1024 * 1024
_CHECK: Final = 16
_KIND: Final = 16
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS facts (digest BLOB, kind BLOB, row BLOB NOT NULL, PRIMARY KEY (digest, kind));
CREATE TABLE IF NOT EXISTS snapshots (
    kind TEXT, key BLOB, state BLOB NOT NULL, row BLOB NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS files (
    root TEXT, path TEXT, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (root, path)) WITHOUT ROWID;
"""
_FORM: Final = crc32(_SCHEMA.encode()) & 0x7FFF_FFFF
_HALVE: Final = "DELETE FROM {0} WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM {0})"

_keeps_snapshots: ContextVar[bool] = ContextVar("keeps_snapshots", default=True)


def enabled_cache_folder() -> Path | None:
    """The folder of `own_cache`, or None if the cache is off."""
    return None if os.environ.get("CTXTUI_CACHE") == "off" else own_cache()


def user_cache() -> Cache:
    """A new view of the user's cache, which reports no failure."""
    return Cache(enabled_cache_folder())


@contextmanager
def no_snapshots() -> Iterator[None]:
    """Keep no snapshots in this thread: those of many foreign projects would evict the user's own."""
    before = _keeps_snapshots.set(False)
    try:
        yield
    finally:
        _keeps_snapshots.reset(before)


@lru_cache(maxsize=256)
def kind_key(kind: str, version: bytes = b"") -> bytes:
    """The key of a kind of facts or snapshots, of 16 bytes. An empty `version` means this version of the program."""
    return blake2b(kind.encode("utf-8", "surrogatepass"), digest_size=_KIND, key=version or program_digest()).digest()


class Snapshot(NamedTuple):
    """Packed `data`, the `state` of its dependencies (a digest), and the keyed `digest` of name, state and data."""

    state: bytes
    data: bytes
    digest: bytes


class Cache:
    """Facts and snapshots in one file. Safe for several threads and processes.

    Without a directory nothing is cached. A damaged file is deleted and created again. An unusable file turns the
    cache off, with a notice.
    """

    def __init__(self, directory: Path | None, on_notice: OnNotice | None = None) -> None:
        self._file = directory / NAME if directory else None
        self._on_notice = on_notice
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        # New facts, by digest and kind joined.
        self._new: dict[bytes, bytes] = {}

    @cached_property
    def _keyed(self) -> blake2b:
        # Copying a keyed hash takes a third of the time of keying a new hash.
        return blake2b(digest_size=_CHECK, key=own_key())

    def sealed(self, name: bytes, data: bytes) -> bytes:
        """Data as a row of this name: a digest of 16 bytes that only this user can compute, then the data."""
        hashed = self._keyed.copy()
        hashed.update(name)
        hashed.update(data)
        return hashed.digest() + data

    def unsealed(self, name: bytes, row: Any) -> bytes | None:
        """The data of a row, or None if it is damaged or was sealed for another name or by another user."""
        data = row[_CHECK:] if isinstance(row, bytes) else None
        return data if data is not None and self.sealed(name, data) == row else None

    @property
    def directory(self) -> Path | None:
        """The folder of the file, or None if nothing is cached."""
        return self._file.parent if self._file else None

    def known_fact(self, kind: str, digest: bytes) -> Any:
        """The fact of a kind about a content, flushed or not, or None if it is unknown."""
        if self._file is None:
            return None
        key = digest + kind_key(kind)
        with self._lock:
            data = self._new[key] if key in self._new else self.unsealed(key, self._fact_row(key))
        return None if data is None else unpack(data)

    def fact(
        self,
        kind: str,
        digest: bytes,
        make: Callable[[], Value],
        may_keep: Callable[[Value], bool] = lambda _fact: True,
    ) -> Value:
        """The fact of a kind about a content, else the result of `make`, kept unless it is None or not `may_keep`."""
        known: Value | None = self.known_fact(kind, digest)
        if known is not None:
            return known
        fact = make()
        if fact is not None and may_keep(fact):
            self.keep_fact(kind, digest, fact)
        return fact

    def keep_fact(self, kind: str, digest: bytes, fact: Any) -> None:
        """Add a fact, which must hold no secret. The next `flush` writes it, unless it cannot be packed."""
        if self._file is not None:
            with self._lock:
                self._new[digest + kind_key(kind)] = pack(fact)

    def flush(self) -> None:
        """Write the facts since the last flush, and close the file, which the next use opens again."""
        with self._lock:
            new, self._new = self._new, {}
            self._close()
            if new:
                rows = [(*_split_key(key), self.sealed(key, data)) for key, data in new.items() if data]
                self.run(lambda database: insert(database, "facts", rows))

    def snapshot(self, kind: str, name: bytes, state: bytes | None = None, version: bytes = b"") -> Snapshot | None:
        """The last snapshot of a kind and name. None without one, or if a given `state` differs from its own."""
        key = _snapshot_key(kind, name, version)
        query = "SELECT state, row FROM snapshots WHERE kind = ? AND key = ?"
        found = self.run(lambda database: database.execute(query, (kind, key)).fetchone())
        if not found:
            return None
        kept_state, row = found
        data = self.unsealed(key + kept_state, row) if state in (None, kept_state) else None
        return None if data is None else Snapshot(kept_state, data, row[:_CHECK])

    def snapshot_value(self, kind: str, name: bytes, version: bytes = b"") -> Any:
        """The value of the last snapshot of a kind and name in any state, or None."""
        last = self.snapshot(kind, name, version=version)
        return None if last is None else unpack(last.data)

    def keep_snapshot(self, kind: str, name: bytes, data: bytes, state: bytes = b"", version: bytes = b"") -> bytes:
        """Store packed data, without secrets, as a snapshot that depends on `state`.

        Returns the snapshot's digest, even if nothing is stored: for empty data, or under `no_snapshots`.
        """
        key = _snapshot_key(kind, name, version)
        row = self.sealed(key + state, data)
        if data and _keeps_snapshots.get():
            self.run(lambda database: insert(database, "snapshots", [(kind, key, state, row)]))
        return row[:_CHECK]

    def run(self, work: Callable[[sqlite3.Connection], Value]) -> Value | None:
        """Run `work` in one transaction, again if the file was damaged. None if the cache is off or fails."""
        for _ in range(2):
            if self._file is None:
                break
            try:
                with closing(open_database(self._file, _prepare)) as database, database:
                    return work(database)
            except FAILURES as error:
                self._recover(self._file, error)
        return None

    def _fact_row(self, key: bytes) -> Any:
        """The row of a fact in the file, None without one or after a failure. The file stays open for later reads."""
        try:
            if self._database is None and self._file is not None:
                # A lock keeps threads apart.
                self._database = open_database(self._file, _prepare, check_same_thread=False)
                # One transaction for all reads: a lock per read would take longer than reading.
                self._database.execute("BEGIN")
            if self._database is not None:
                query = "SELECT row FROM facts WHERE digest = ? AND kind = ?"
                found = self._database.execute(query, _split_key(key)).fetchone()
                return found[0] if found else None
        except FAILURES as error:
            self._close()
            if self._file is not None:
                self._recover(self._file, error)
        return None

    def _close(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error), closing(self._database):
                self._database = None

    def _recover(self, file: Path, error: Exception) -> None:
        """Delete a damaged file, or turn the cache off."""
        if is_damaged(error):
            # The write-ahead log belongs to the same damaged file.
            for ending in ("", "-wal", "-shm"):
                with suppress(OSError):
                    file.with_name(f"{NAME}{ending}").unlink()
            return
        self._file = None
        if self._on_notice:
            message = f"nothing can be kept between starts ({error}); all is read and counted again each time"
            self._on_notice(Notice("cache-unavailable", message))


def insert(database: sqlite3.Connection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Insert or replace rows. Above 512 MB, first drop the older half of facts and snapshots.

    Raises sqlite3.Error.
    """
    if not rows:
        return
    used, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    for each in ("facts", "snapshots") if (used - free) * size > _MOST_BYTES else ():
        database.execute(_HALVE.format(each))
    marks = ", ".join("?" * len(rows[0]))
    database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - names of our own


def _prepare(database: sqlite3.Connection) -> None:
    """Set up an opened cache, and create its tables anew if their schema is another. Raises sqlite3.Error."""
    use_write_ahead_log(database)
    # A loss of power may damage the file, and a damaged file is made anew.
    database.execute("PRAGMA synchronous=OFF")
    database.execute(f"PRAGMA mmap_size={_MOST_BYTES}")
    (form,) = database.execute("PRAGMA user_version").fetchone()
    if form != _FORM:
        # Replace tables of an older schema.
        drop = "".join(f"DROP TABLE IF EXISTS {name};" for name in ("facts", "snapshots", "files") if form)
        database.executescript(f"BEGIN IMMEDIATE; {drop} {_SCHEMA} PRAGMA user_version = {_FORM}; COMMIT")


def _split_key(key: bytes) -> tuple[bytes, bytes]:
    return key[:-_KIND], key[-_KIND:]


def _snapshot_key(kind: str, name: bytes, version: bytes) -> bytes:
    return digest_of(kind_key(kind, version) + name)
