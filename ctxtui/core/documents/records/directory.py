"""Records in a directory, one Markdown file each: the storage of entries and artifacts."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path, PurePath

from ctxtui.core.base.errors import ContextError, Gone, invalid
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.records.cache import RecordCache
from ctxtui.core.documents.records.file import Record, file_name, read_record, spare_name, write_record
from ctxtui.core.documents.records.lock import alone_in
from ctxtui.core.text.decode import decode

__all__ = ["Record", "RecordDirectory", "read_record", "write_record"]

# Each failure means that another writer succeeded.
_TRIES = 100
_LATEST = datetime.max.replace(tzinfo=UTC)
Keep = Callable[[str, bytes], None]
"""Receives the name and bytes of a file before its replacement. An exception stops the replacement."""


class RecordDirectory:
    """The records of a directory, which need not exist. Safe for several threads and processes.

    A record belongs to the file that claims its id, under any name. A new file is named after its id. A file without
    a record causes one notice per version. Every method raises ContextError if the directory cannot be read.
    """

    def __init__(self, directory: str | os.PathLike[str], on_notice: OnNotice | None = None) -> None:
        self._fixed_root = directory if isinstance(directory, Root) else None
        self._cache = RecordCache(Path(directory).absolute(), PurePath(directory).as_posix())
        self._on_notice = on_notice or log_notice
        self._lock = threading.Lock()
        self._records: tuple[Record, ...] = ()
        self._repeated: dict[str, Stamp] = {}

    def all(self) -> Sequence[Record]:
        """All records on disk, newest first, then by id. The result is the same object until something changes."""
        with self._held() as cache:
            cache.look_at_all()
            if cache.changed:
                self._records = self._ordered(cache.changed)
                cache.changed = set()
            return self._records

    def get(self, id: str) -> Record | None:  # noqa: A002 - the record's own word
        """The record of an id, None without one. Reads all changed files only if none claims the id yet."""
        with self._held() as cache:
            name = self._owner_of_expected_files(id)
            if name is None:
                cache.look_at_all()
                name = self._owner_of_known_files(id)
            return cache.files[name].parsed.record if name else None

    def path_of(self, id: str) -> Path:  # noqa: A002 - the record's own word
        """The file of an id, which need not exist. Raises ContextError (invalid_request) if the id can have none."""
        with self._held() as cache:
            return cache.directory / self._file_name_for(id)

    def store(self, record: Record) -> Path:
        """Write a record atomically, replacing the record of the same id. Creates the directory.

        Raises ContextError: invalid_request for a record that cannot be stored, unavailable if writing fails.
        """
        return self.revise(record.id, lambda _: record)

    def create(self, record: Record) -> Path | None:
        """Write a record if no file has its id, else return None. Raises as `store` does.

        Of several concurrent writers, one succeeds.
        """
        text = write_record(record)
        with self._held() as cache:
            if self._owner_of_expected_files(record.id):
                return None
            name = self._file_name_for(record.id)
            first = cache.files.get(file_name(record.id))
            if first and not first.stamp.size:
                # Empty: another process is writing this record.
                return None
            with cache.writing():
                return cache.directory / name if cache.root.create(name, text.encode()) else None

    def revise(
        self,
        id: str,  # noqa: A002 - as above
        make: Callable[[Record | None], Record],
        keep: Keep | None = None,
    ) -> Path:
        """Store the result of `make` for the current record of an id, as `store` does. The id stays the same.

        `keep` gets the name and bytes of a file before it is replaced. With it, processes write one after the other.
        If another program changes the file meanwhile, both functions are called again.
        """
        with self._held() as cache, alone_in(cache.directory) if keep else nullcontext():
            for _ in range(_TRIES):
                name = self._file_name_for(id, beside_ours=True)
                before = self._bytes(name)
                # Check again, so that the record is not older than the replaced bytes.
                seen = cache.look_at(name)
                record = make(seen.parsed.record if seen else None)
                text = write_record(record, decode(before, name)[0] if before is not None else "").encode()
                if keep and before is not None:
                    keep(name, before)
                with cache.writing():
                    if cache.root.create(name, text) if before is None else cache.root.exchange(name, before, text):
                        return cache.directory / name
        message = f"{cache.shown_path(name)} keeps changing while it is written"
        raise ContextError("unavailable", message, retryable=True, hint="try again")

    @contextmanager
    def _held(self) -> Iterator[RecordCache]:
        """The cache for one thread. Its notices are reported after its release."""
        notices: list[Notice] = []
        try:
            with self._lock:
                self._cache.root = self._fixed_root or Root(self._cache.directory)
                try:
                    yield self._cache
                finally:
                    notices, self._cache.notices = self._cache.notices, []
        finally:
            for notice in notices:
                self._on_notice(notice)

    def _owner_of_expected_files(self, id_: str, beside_ours: bool = False) -> str | None:
        """An id's file name, None without one. Looks at the names made of the id, and at new files.

        `beside_ours` is as in `look_for_new`.
        """
        for name in (file_name(id_), spare_name(id_)):
            self._cache.look_at(name)
        self._cache.look_for_new(beside_ours)
        return self._owner_of_known_files(id_)

    def _owner_of_known_files(self, id_: str) -> str | None:
        for name in tuple(self._cache.claims.get(id_, ())):
            self._cache.look_at(name)
        return self._cache.owner(id_, file_name(id_))

    def _file_name_for(self, id_: str, beside_ours: bool = False) -> str:
        """The file name of an id, of its present file or a new one. Raises ContextError if others have both names."""
        owner = self._owner_of_expected_files(id_, beside_ours)
        if owner:
            return owner
        for name in (file_name(id_), spare_name(id_)):
            # Check again: another process may have stored the same id.
            seen = self._cache.look_at(name)
            if seen is None or seen.parsed.id == id_:
                return name
        message = f"{self._cache.shown_path(file_name(id_))} blocks the entry {id_[:80]!r}"
        raise invalid(message, hint="move the file, or correct its `entryId`")

    def _bytes(self, name: str) -> bytes | None:
        try:
            return self._cache.root.read(name).data
        except Gone:
            return None

    def _ordered(self, changed: Set[str]) -> tuple[Record, ...]:
        """All records, newest first, with the current records of the `changed` ids."""
        records = [record for record in self._records if record.id not in changed]
        for id_ in changed & self._cache.claims.keys():
            record = self._cache.files[self._owner_reporting_others(id_)].parsed.record
            if record:
                records.append(record)
        records.sort(key=lambda record: (_LATEST - record.created_at, record.id))
        return tuple(records)

    def _owner_reporting_others(self, id_: str) -> str:
        """The file that owns an id. The other files that claim it are reported once per version."""
        names = self._cache.claims[id_]
        if len(names) == 1:
            return next(iter(names))
        owner = self._cache.owner(id_, file_name(id_)) or ""
        for name in sorted(names - {owner}):
            stamp = self._cache.files[name].stamp
            if self._repeated.get(name) != stamp:
                self._repeated[name] = stamp
                message = f"`entryId` {id_[:80]} is taken by {owner}; this file is left out"
                self._cache.notices.append(Notice("duplicate-id", message, self._cache.shown_path(name)))
        return owner
