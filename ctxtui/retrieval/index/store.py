"""The store: a root's files and their terms, in one SQLite database."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.database import open_database, prepare_or_close, use_write_ahead_log
from ctxtui.retrieval.index.prepare import UNKNOWN, Prepared, Row

_VERSION: Final = "4"
_CACHE_KIB: Final = 16 * 1024
_STEPS: Final = 20_000
_WEIGHED: Final = 5_000
_KEPT_SECONDS: Final = 60 * 24 * 3600
_SUFFIXES: Final = ("", "-wal", "-shm")
_CLEAR: Final = (
    "DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS chunks; DROP TABLE IF EXISTS words; DELETE FROM meta"
)
_SCHEMA: Final = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
    size INTEGER NOT NULL, problem TEXT NOT NULL, chunks INTEGER NOT NULL, words INTEGER NOT NULL);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL);
CREATE INDEX chunk_files ON chunks (file);
CREATE VIRTUAL TABLE words USING fts5(place, heading, body, aside, tokenize='ascii');
"""
# The most bytes of terms in memory before a write.
_GATHER: Final = "INSERT INTO words (words, rank) VALUES ('hashsize', 16777216)"
# A name weighs more than a mention. This only selects the candidates for ranking.
_FIND: Final = """
WITH matching AS (
    SELECT rowid AS id, bm25(words, 1.5, 4.0, 1.0, 0.3) AS weight FROM words WHERE words MATCH ? AND NOT EXISTS (
        SELECT 1 FROM chunks JOIN files ON files.id = chunks.file JOIN temp.beside ON beside.path = files.path
        WHERE chunks.id = words.rowid)
    LIMIT ?),
found AS (SELECT id FROM matching ORDER BY weight LIMIT ?)
SELECT files.path, chunks.start, chunks.end, words.place, words.heading, words.body, words.aside
FROM found JOIN chunks ON chunks.id = found.id
JOIN files ON files.id = chunks.file JOIN words ON words.rowid = found.id
"""
_FOUND_FILES: Final = 200
_HEADED: Final = """
WITH headed AS (SELECT rowid AS id FROM words WHERE words MATCH ?)
SELECT DISTINCT files.path FROM headed JOIN chunks ON chunks.id = headed.id JOIN files ON files.id = chunks.file
ORDER BY files.path LIMIT ?
"""
_WEIGH: Final = "SELECT rowid, bm25(words, 3.0, 3.0, 1.0, 0.1) FROM words WHERE words MATCH ?"


class StoredChunk(NamedTuple):
    """A chunk as stored in the index."""

    path: str
    row: Row


class Store:
    """The terms of one root, in memory if `file` is None. Not thread-safe.

    Raises sqlite3.Error. A DatabaseError that is not an OperationalError means that the file is damaged.
    """

    def __init__(self, file: Path | None) -> None:
        self._left_out: frozenset[str] = frozenset()
        options: dict[str, Any] = {"isolation_level": None, "check_same_thread": False}
        if file:
            _remove_unused(file)
            self._database = open_database(file, self._prepare, **options)
        else:
            self._database = prepare_or_close(sqlite3.connect(":memory:", **options), self._prepare)

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Set up a connection. A store of another version loses its contents."""
        self._database = database
        use_write_ahead_log(self._database)
        for setting in ("synchronous=NORMAL", f"cache_size=-{_CACHE_KIB}"):
            self._database.execute(f"PRAGMA {setting}")
        with self._writing():
            self._database.execute("CREATE TABLE IF NOT EXISTS meta (version TEXT NOT NULL)")
            if self._database.execute("SELECT version FROM meta").fetchall() != [(_VERSION,)]:
                for statement in (*_CLEAR.split(";"), *_SCHEMA.split(";"), _GATHER):
                    self._database.execute(statement)
                self._database.execute("INSERT INTO meta VALUES (?)", (_VERSION,))
        self._database.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row)")
        self._database.execute("CREATE TABLE temp.beside (path TEXT PRIMARY KEY) WITHOUT ROWID")

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One write transaction, rolled back if the context raises."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def stopping(self, is_stopped: Callable[[], bool]) -> Iterator[None]:
        """In this context, a statement is interrupted soon after `is_stopped` returns True."""
        self._database.set_progress_handler(is_stopped, _STEPS)
        try:
            yield
        finally:
            self._database.set_progress_handler(None, 0)

    def version(self) -> int:
        """A number that changes when another process has written."""
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    def stamps(self) -> dict[str, Stamp]:
        rows = self._database.execute("SELECT path, mtime, ctime, size FROM files")
        return {row[0]: Stamp(*row[1:]) for row in rows}

    def problems(self) -> list[tuple[str, str]]:
        """The files without terms, and the reasons, in path order."""
        return self._database.execute("SELECT path, problem FROM files WHERE problem != '' ORDER BY path").fetchall()

    def size(self) -> tuple[int, float]:
        """The number of chunks, and their average number of words."""
        chunks, words = self._database.execute("SELECT total(chunks), total(words) FROM files").fetchone()
        return int(chunks), words / max(chunks, 1)

    def put(self, files: Sequence[Prepared]) -> None:
        """Add or replace files in one transaction. A file that is stored with the same stamp is kept."""
        with self._writing():
            for file in files:
                if file.stamp == UNKNOWN or self._stamp(file.path) != file.stamp:
                    self._remove(file.path)
                    self._add(file)

    def remove(self, paths: Iterable[str]) -> None:
        with self._writing():
            for path in paths:
                self._remove(path)

    def _stamp(self, path: str) -> Stamp | None:
        row = self._database.execute("SELECT mtime, ctime, size FROM files WHERE path = ?", (path,)).fetchone()
        return Stamp(*row) if row else None

    def _remove(self, path: str) -> None:
        if row := self._database.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone():
            self._database.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)", row)
            self._database.execute("DELETE FROM chunks WHERE file = ?", row)
            self._database.execute("DELETE FROM files WHERE id = ?", row)

    def _add(self, file: Prepared) -> None:
        stamp = file.stamp
        total = sum(row.length for row in file.rows)
        values = (file.path, stamp.mtime_ns, stamp.ctime_ns, stamp.size, file.problem, len(file.rows), total)
        insert = "INSERT INTO files (path, mtime, ctime, size, problem, chunks, words) VALUES (?, ?, ?, ?, ?, ?, ?)"
        owner = self._database.execute(insert, values).lastrowid
        first = self._database.execute("SELECT coalesce(max(id), 0) + 1 FROM chunks").fetchone()[0]
        rows = list(enumerate(file.rows, first))
        insert = "INSERT INTO chunks (id, file, start, end) VALUES (?, ?, ?, ?)"
        self._database.executemany(insert, [(id_, owner, row.start, row.end) for id_, row in rows])
        insert = "INSERT INTO words (rowid, place, heading, body, aside) VALUES (?, ?, ?, ?, ?)"
        self._database.executemany(insert, [(id_, row.place, row.heading, row.body, row.aside) for id_, row in rows])

    def frequency(self, word: str, is_prefix: bool = False) -> int:
        """The number of chunks that contain a term. For a prefix, the sum over all terms that begin with it."""
        if is_prefix:
            query = "SELECT sum(doc) FROM temp.terms WHERE term >= ? AND term < ?"
            row = self._database.execute(query, (word, word + "\U0010ffff")).fetchone()
        else:
            row = self._database.execute("SELECT doc FROM temp.terms WHERE term = ?", (word,)).fetchone()
        return int(row[0] or 0) if row else 0

    def leave_out(self, paths: Set[str]) -> None:
        """From now on, chunks of these files, and no longer those of the last call, are not found."""
        if paths != self._left_out:
            self._left_out = frozenset(paths)
            self._database.execute("DELETE FROM temp.beside")
            self._database.execute("INSERT INTO temp.beside SELECT value FROM json_each(?)", (json.dumps([*paths]),))

    def best_chunks(self, expression: str, limit: int) -> list[StoredChunk]:
        """The `limit` chunks that best match an FTS5 expression."""
        rows = self._database.execute(_FIND, (expression, _WEIGHED, limit)).fetchall()
        return [StoredChunk(row[0], Row(*row[1:])) for row in rows]

    def chunk_lines(self) -> dict[int, tuple[str, int, int]]:
        """Each chunk's file, first line and end, from 0, by the chunk's number, except the files left out."""
        query = "SELECT chunks.id, path, chunks.start, chunks.end FROM chunks JOIN files ON files.id = chunks.file"
        return {row[0]: row[1:] for row in self._database.execute(query) if row[1] not in self._left_out}

    def weights(self, word: str) -> list[tuple[int, float]]:
        """The number of each chunk with a term, and the term's weight there (BM25, names count more than text)."""
        return [(row[0], -row[1]) for row in self._database.execute(_WEIGH, (f'"{word}"',))]

    def headed_files(self, words: str) -> list[str]:
        """The first 200 files, by path, with these terms as a phrase in a heading. The last may be incomplete."""
        rows = self._database.execute(_HEADED, (f'{{heading}} : "{words}" *', _FOUND_FILES))
        return [row[0] for row in rows if row[0] not in self._left_out]


def remove_store(file: Path) -> None:
    """Delete a store with SQLite's files beside it."""
    for suffix in _SUFFIXES:
        with suppress(OSError):
            file.with_name(file.name + suffix).unlink()


def _remove_unused(file: Path) -> None:
    """Delete the stores of roots unused for a long time, except the given store, which is in use."""
    with suppress(OSError):
        os.utime(file)
    for other in file.parent.glob("*.sqlite3"):
        with suppress(OSError):
            if other != file and time.time() - other.stat().st_mtime > _KEPT_SECONDS:
                remove_store(other)


def store_file(directory: Path, root: Path, listing: str = "") -> Path:
    """The store file of a root. Each named listing has its own."""
    key = os.fsencode(root) + (b"\0" + listing.encode("utf-8", "replace") if listing else b"")
    return directory / f"{blake2b(key, digest_size=16).hexdigest()}.sqlite3"
