"""Entries in a directory, one Markdown file each (seed 001, `FileContextProvider`)."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import PurePath

from ctxtui.core.notices import Notice, OnNotice, log_notice
from ctxtui.core.records import Record, RecordDirectory
from ctxtui.entries.as_record import to_entry, to_record
from ctxtui.entries.matching import Candidate, matching
from ctxtui.entries.values import ContextEntry, ContextQuery

_Known = tuple[Record, Candidate | None]


class FileContextProvider:
    """Reads and writes the entries of a directory; safe from several threads, tasks and processes.

    A missing directory is empty, and made when the first entry is stored. Files that others add, change or
    delete are seen by the next query; what is wrong with one is a notice, once for each version of it.
    """

    def __init__(self, directory: str | os.PathLike[str], on_notice: OnNotice | None = None) -> None:
        self._tell = on_notice or log_notice
        self._given = PurePath(directory)
        self._directory = RecordDirectory(directory, self._tell)
        self._lock = threading.Lock()
        self._records: object = None
        self._candidates: list[Candidate] = []
        self._known: dict[str, _Known] = {}

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id.

        Raises ContextError where the directory is none or may not be read.
        """
        return await asyncio.to_thread(lambda: matching(self._current(), query))

    async def store(self, entry: ContextEntry) -> None:
        """Write an entry whole or not at all, in place of one with the same id; its unknown keys stay.

        Raises ContextError: invalid_request for an entry that no file can hold, unavailable where writing fails.
        """
        await asyncio.to_thread(self._directory.revise, entry.entry_id, lambda before: to_record(entry, before))

    def _current(self) -> list[Candidate]:
        """The candidates as they are on disk; made anew only for records that changed."""
        records = self._directory.all()
        problems: list[tuple[str, str, str]] = []
        with self._lock:
            if records is not self._records:
                self._known = {record.id: self._candidate(record, problems) for record in records}
                self._candidates = [candidate for _, candidate in self._known.values() if candidate]
                self._records = records
            candidates = self._candidates
        for id_, code, message in problems:
            self._tell(Notice(code, message, self._shown(id_)))
        return candidates

    def _candidate(self, record: Record, problems: list[tuple[str, str, str]]) -> _Known:
        known = self._known.get(record.id)
        if known and known[0] is record:
            return known
        entry = to_entry(record, lambda code, message: problems.append((record.id, code, message)))
        return record, Candidate.of(entry) if entry else None

    def _shown(self, id_: str) -> str:
        return (self._given / self._directory.path_of(id_).name).as_posix()
