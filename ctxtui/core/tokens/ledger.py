"""The ledger: counts of files, kept on disk by content, so that a second start needs no tokenizer."""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple

from ctxtui.core.database import FAILURES, PATIENCE, connected, is_damaged, write_ahead
from ctxtui.core.files.content import Stamp
from ctxtui.core.notices import Notice, OnNotice, log_notice
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.encodings import VOCABULARIES

_VERSION = f"5 {' '.join(each.digest[:12] for each in VOCABULARIES.values())}"
_NO_STAMP = Stamp(0, 0, 0)
# Counts of another version are counted again; tables of another shape are created again.
_CLEAR = "DROP TABLE IF EXISTS texts; DROP TABLE IF EXISTS files; DELETE FROM meta;"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS texts (
    digest BLOB NOT NULL, basis TEXT NOT NULL, units INTEGER NOT NULL, cuts BLOB NOT NULL,
    damage INTEGER NOT NULL, PRIMARY KEY (digest, basis)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    root TEXT NOT NULL, path TEXT NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
    size INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """The ledger's data about one version of a file.

    `damage` is the first line that is not valid text, 0 for none.
    """

    stamp: Stamp
    digest: bytes
    counts: Counts
    damage: int = 0


class Size(NamedTuple):
    """The units of a file in total, its `damage` and the digest of its content as in its entry."""

    units: int
    damage: int
    digest: bytes


# An entry without its cuts, which follow it: the stamp, the digest, the units and the damage. Most are asked for no
# more than their size, and as bytes a hundred thousand of them take a third of the memory.
_ROW: Final = struct.Struct("<qqq16sQQ")


class Ledger:
    """Counts by path and stamp, and by content, for one root; safe for several threads and processes.

    Without a directory, or if that is not writable, it is kept in memory only, with a notice.
    """

    def __init__(self, directory: Path | None, root: str, on_notice: OnNotice = log_notice) -> None:
        self._root = os.fsencode(root).hex()
        self._lock = threading.Lock()
        self._entries: dict[str, dict[str, Entry | bytes]] = {}
        self._pending: list[tuple[str, str, Entry]] = []
        self._kept: dict[tuple[str, bytes], int] = {}
        self._on_notice = on_notice
        self._file = directory / "counts.sqlite3" if directory else None
        if self._file:
            self._prepare(self._file)

    @property
    def directory(self) -> Path | None:
        """Where counts are kept; None if they are in memory only."""
        return self._file.parent if self._file else None

    def _prepare(self, file: Path) -> None:
        for attempt in range(2):
            try:
                with closing(self._connect(file)) as database, database:
                    database.execute("CREATE TABLE IF NOT EXISTS meta (version TEXT NOT NULL)")
                    if database.execute("SELECT version FROM meta").fetchone() != (_VERSION,):
                        database.executescript(f"{_CLEAR}{_SCHEMA}")
                        database.execute("INSERT INTO meta VALUES (?)", (_VERSION,))
                return
            except FAILURES as error:
                if attempt or not is_damaged(error):
                    self._give_up(str(error))
                    return
                with suppress(OSError):
                    file.unlink()

    def _give_up(self, reason: str) -> None:
        self._file = None
        message = f"token counts cannot be kept between starts ({reason}); they are counted again each time"
        self._on_notice(Notice("cache-unavailable", message))

    @staticmethod
    def _connect_to_read(file: Path) -> sqlite3.Connection:
        return sqlite3.connect(file, timeout=PATIENCE)

    @classmethod
    def _connect(cls, file: Path) -> sqlite3.Connection:
        return connected(file, _set_up)

    def find(self, basis: str, path: str, stamp: Stamp) -> Entry | None:
        """The entry for exactly this version of a file."""
        entries = self._loaded(basis)
        entry = entries.get(path)
        if isinstance(entry, bytes):
            *times, digest, units, damage = _ROW.unpack_from(entry)
            if tuple(times) != stamp:
                return None
            entry = entries[path] = Entry(stamp, digest, Counts.unpack(units, entry[_ROW.size :]), damage)
        return entry if entry is not None and entry.stamp == stamp else None

    def size(self, basis: str, path: str, stamp: Stamp) -> Size | None:
        """As `find`, for who wants no parts of it."""
        entry = self._loaded(basis).get(path)
        if isinstance(entry, bytes):
            mtime, ctime, size, digest, units, damage = _ROW.unpack_from(entry)
            return Size(units, damage, digest) if (mtime, ctime, size) == stamp else None
        return (
            Size(entry.counts.units, entry.damage, entry.digest)
            if entry is not None and entry.stamp == stamp
            else None
        )

    def find_contents(self, basis: str, digests: Collection[bytes]) -> dict[bytes, Entry]:
        """The known counts of contents, under any file name; the entries have no stamp."""
        if self._file is None or not digests:
            return {}
        marks = ", ".join("?" * len(digests))
        query = f"SELECT digest, units, cuts, damage FROM texts WHERE basis = ? AND digest IN ({marks})"  # noqa: S608
        with suppress(*FAILURES), closing(self._connect_to_read(self._file)) as database:
            rows = database.execute(query, (basis, *digests)).fetchall()
            return {row[0]: Entry(_NO_STAMP, row[0], Counts.unpack(row[1], row[2]), row[3]) for row in rows}
        return {}

    def record(self, basis: str, path: str, entry: Entry) -> None:
        """Record the counts of one version of a file; written by the next `flush`."""
        entries = self._loaded(basis)
        with self._lock:
            entries[path] = entry
            self._pending.append((basis, path, entry))

    def keep(self, basis: str, digest: bytes, units: int) -> None:
        """Keep the count of a text that is in no file, at once."""
        self._kept[basis, digest] = units
        if self._file is None:
            return
        row = (digest, basis, units, Counts(units).pack(), 0)
        try:
            with closing(self._connect(self._file)) as database, database:
                database.execute("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, ?)", row)
        except FAILURES as error:
            self._give_up(str(error))

    def kept(self, basis: str, digest: bytes) -> int | None:
        """The count that was kept for a text, by this process or another."""
        known = self._kept.get((basis, digest))
        entry = None if known is not None else self.find_contents(basis, {digest}).get(digest)
        return entry.counts.units if entry is not None else known

    def flush(self) -> None:
        """Write what was recorded since the last flush."""
        with self._lock:
            pending, self._pending = self._pending, []
        if not pending or self._file is None:
            return
        try:
            with closing(self._connect(self._file)) as database, database:
                database.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, ?)", _texts(pending))
                database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)", self._files(pending))
        except FAILURES as error:
            self._give_up(str(error))

    def _files(self, pending: Iterable[tuple[str, str, Entry]]) -> list[tuple[object, ...]]:
        now = time.time_ns()
        return [
            (self._root, path, entry.stamp.mtime_ns, entry.stamp.ctime_ns, entry.stamp.size, entry.digest)
            for _, path, entry in pending
            if not entry.stamp.is_young(now)
        ]

    def _loaded(self, basis: str) -> dict[str, Entry | bytes]:
        entries = self._entries.get(basis)
        if entries is not None:
            return entries
        with self._lock:
            if basis not in self._entries:
                self._entries[basis] = self._load(basis)
            return self._entries[basis]

    def _load(self, basis: str) -> dict[str, Entry | bytes]:
        if self._file is None:
            return {}
        query = (
            "SELECT path, cuts, mtime, ctime, size, digest, units, damage FROM files"
            " JOIN texts USING (digest) WHERE root = ? AND basis = ?"
        )
        try:
            with closing(self._connect_to_read(self._file)) as database:
                return dict(_packed(database.execute(query, (self._root, basis))))
        except FAILURES as error:
            self._give_up(str(error))
            return {}


def _packed(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[str, bytes]]:
    pack = _ROW.pack
    for path, cuts, mtime, ctime, size, digest, units, damage in rows:
        try:
            yield intern(path), pack(mtime, ctime, size, digest, units, damage) + cuts
        except (struct.error, TypeError):  # a damaged row is counted again
            continue


def _set_up(database: sqlite3.Connection) -> None:
    write_ahead(database)
    database.execute("PRAGMA synchronous=NORMAL")


def _texts(pending: Iterable[tuple[str, str, Entry]]) -> list[tuple[object, ...]]:
    return [
        (entry.digest, basis, entry.counts.units, entry.counts.pack(), entry.damage) for basis, _, entry in pending
    ]
