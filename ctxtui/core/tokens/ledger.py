"""The ledger: token counts on disk by content, so that a second start needs no tokenizer."""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.notices import OnNotice, log_notice
from ctxtui.core.disk.cache import Cache, insert, kind_key
from ctxtui.core.disk.content import Stamp
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter
from ctxtui.core.tokens.encodings import VOCABULARIES
from ctxtui.core.tokens.spans import Counts

# Increase this when counting changes.
_VERSION: Final = f"7 {' '.join(each.digest[:12] for each in VOCABULARIES.values())}".encode()
_NO_STAMP = Stamp(0, 0, 0)


def cached_count(cache: Cache, kind: str, text: str, measure: Callable[[], int]) -> int:
    """The cached count of a text in the unit `kind`, or the result of `measure`."""
    return cache.fact(f"tokens {kind}", text_digest(text), measure)


def with_cached_counts(counter: TokenCounter, cache: Cache) -> TokenCounter:
    """The counter with its counts cached on disk, so that texts counted before need no encoder."""

    def count(text: str, name: str) -> int:
        return cached_count(cache, name, text, lambda: counter.tokens_of(text, name)) if text else 0

    return counter if counter.basis == CHARACTERS else replace(counter, tokens_of=count)


@dataclass(frozen=True, slots=True)
class Entry:
    """The counts of one version of a file. `damage` is the first line that is not valid text, 0 for none."""

    stamp: Stamp
    digest: bytes
    counts: Counts
    damage: int = 0


class Size(NamedTuple):
    """The size of a file without section counts. `damage` and `digest` are as in `Entry`."""

    units: int
    damage: int
    digest: bytes


# A file version, followed by the fact about its content: units, damage and cuts. Most callers need only the size,
# and packed entries of a hundred thousand files take a third of the memory.
_FILE: Final = struct.Struct("<qqq16s")
_FACT: Final = struct.Struct("<qq")


class Ledger:
    """Token counts of one root, by path and stamp and by content. Safe for several threads and processes.

    Without a writable directory the counts stay in memory, with a notice.
    """

    def __init__(self, directory: Path | None, root: str, on_notice: OnNotice = log_notice) -> None:
        self._root = os.fsencode(root).hex()
        self._lock = threading.Lock()
        self._entries: dict[str, dict[str, bytes]] = {}
        self._pending: list[tuple[str, str, Entry]] = []
        self._kept: dict[tuple[str, bytes], int] = {}
        self._cache = Cache(directory, on_notice)
        # Report an unwritable directory now, not at the first flush.
        self._cache.run(lambda _database: None)

    @property
    def directory(self) -> Path | None:
        """The directory of the cache, None if counts stay in memory."""
        return self._cache.directory

    def known_entry(self, basis: str, path: str, stamp: Stamp) -> Entry | None:
        """The counts of exactly this version of a file, None if unknown. `basis` is the counter's key."""
        digest, fact = self._stamped_fact(basis, path, stamp)
        return _unpacked_entry(stamp, digest, fact) if fact else None

    def known_size(self, basis: str, path: str, stamp: Stamp) -> Size | None:
        """The size of exactly this version of a file, None if unknown."""
        digest, fact = self._stamped_fact(basis, path, stamp)
        if not fact:
            return None
        units, damage = _FACT.unpack_from(fact)
        return Size(units, damage, digest)

    def _stamped_fact(self, basis: str, path: str, stamp: Stamp) -> tuple[bytes, bytes]:
        """The digest of exactly this version of a file and the packed fact about it, empty if unknown."""
        packed = self._loaded_entries(basis).get(path)
        if packed is None:
            return b"", b""
        *times, digest = _FILE.unpack_from(packed)
        return (digest, packed[_FILE.size :]) if tuple(times) == stamp else (b"", b"")

    def known_contents(self, basis: str, digests: Collection[bytes]) -> dict[bytes, Entry]:
        """The known counts by content digest, under any file name. The entries have an empty stamp."""
        kind = _counts_kind(basis)

        def read(database: sqlite3.Connection) -> Iterator[tuple[bytes, Any]]:
            for digest in digests:
                query = "SELECT row FROM facts WHERE digest = ? AND kind = ?"
                yield from ((digest, row) for (row,) in database.execute(query, (digest, kind)))

        rows = self._cache.run(lambda database: list(read(database))) or ()
        facts = ((digest, self._cache.unsealed(digest + kind, row)) for digest, row in rows)
        return {digest: _unpacked_entry(_NO_STAMP, digest, fact) for digest, fact in facts if fact is not None}

    def record(self, basis: str, path: str, entry: Entry) -> None:
        """Record the counts of one version of a file in memory. The next `flush` writes them."""
        entries = self._loaded_entries(basis)
        with self._lock:
            entries[path] = _FILE.pack(*entry.stamp, entry.digest) + _packed_fact(entry.counts, entry.damage)
            self._pending.append((basis, path, entry))

    def keep_count(self, basis: str, digest: bytes, units: int) -> None:
        """Write at once the count of a text that is in no file. `basis` is any name of a unit."""
        self._kept[basis, digest] = units
        self._cache.run(lambda database: insert(database, "facts", [self._fact(basis, digest, Counts(units))]))

    def kept_count(self, basis: str, digest: bytes) -> int | None:
        """The count of a text from `keep_count`, by this process or another. None if unknown."""
        if (basis, digest) in self._kept:
            return self._kept[basis, digest]
        entry = self.known_contents(basis, {digest}).get(digest)
        return None if entry is None else entry.counts.units

    def flush(self) -> None:
        """Write the recorded counts. A file that changed just now is counted again in the next process."""
        with self._lock:
            pending, self._pending = self._pending, []
        if not pending:
            return
        facts = [self._fact(basis, entry.digest, entry.counts, entry.damage) for basis, _, entry in pending]
        now = time.time_ns()
        files = [
            (self._root, path, *entry.stamp, entry.digest)
            for _, path, entry in pending
            if not entry.stamp.is_young(now)
        ]

        def write(database: sqlite3.Connection) -> None:
            insert(database, "facts", facts)
            insert(database, "files", files)

        self._cache.run(write)

    def _loaded_entries(self, basis: str) -> dict[str, bytes]:
        """The packed versions and facts of all files by path, read on first use."""
        entries = self._entries.get(basis)
        if entries is not None:
            return entries
        with self._lock:
            if basis not in self._entries:
                self._entries[basis] = self._read_entries(basis)
            return self._entries[basis]

    def _read_entries(self, basis: str) -> dict[str, bytes]:
        """The packed versions and facts in the cache by path, without damaged rows."""
        columns, kind = "path, mtime, ctime, size, digest, row", _counts_kind(basis)
        query = f"SELECT {columns} FROM files JOIN facts USING (digest) WHERE root = ? AND kind = ?"  # noqa: S608
        rows = self._cache.run(lambda database: database.execute(query, (self._root, kind)).fetchall())
        found: dict[str, bytes] = {}
        for path, mtime, ctime, size, digest, row in rows or ():
            fact = self._cache.unsealed(digest + kind, row)
            # Damaged rows are counted again.
            if fact is not None:
                with suppress(struct.error, TypeError):
                    found[intern(path)] = _FILE.pack(mtime, ctime, size, digest) + fact
        return found

    def _fact(self, basis: str, digest: bytes, counts: Counts, damage: int = 0) -> tuple[bytes, bytes, bytes]:
        kind = _counts_kind(basis)
        return digest, kind, self._cache.sealed(digest + kind, _packed_fact(counts, damage))


def _counts_kind(basis: str) -> bytes:
    return kind_key(f"counts {basis}", _VERSION)


def _packed_fact(counts: Counts, damage: int) -> bytes:
    return _FACT.pack(counts.units, damage) + counts.pack()


def _unpacked_entry(stamp: Stamp, digest: bytes, fact: bytes) -> Entry:
    units, damage = _FACT.unpack_from(fact)
    return Entry(stamp, digest, Counts.unpack(units, fact[_FACT.size :]), damage)
