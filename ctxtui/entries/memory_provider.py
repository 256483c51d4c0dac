"""Entries in memory, for tests and local development (entries specification 3)."""

from __future__ import annotations

import threading

from ctxtui.core.documents.records.directory import write_record
from ctxtui.entries.as_record import to_record
from ctxtui.entries.match import Candidate, matching, newest_first
from ctxtui.entries.types import ContextEntry, ContextQuery, checked


class InMemoryContextProvider:
    """Keeps entries in memory. Safe for several threads and tasks.

    It refuses entries that a file cannot represent, so that code tested with it also works with files.
    """

    def __init__(self) -> None:
        self._candidates: dict[str, Candidate] = {}
        self._ordered: list[Candidate] | None = None
        self._lock = threading.Lock()

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id."""
        with self._lock:
            if self._ordered is None:
                self._ordered = sorted(self._candidates.values(), key=newest_first)
            candidates = self._ordered
        return matching(candidates, query)

    async def store(self, entry: ContextEntry) -> None:
        """Store an entry, replacing an entry with the same id. Raises ContextError (invalid_request)."""
        write_record(to_record(checked(entry)))
        candidate = Candidate.of(entry)
        with self._lock:
            self._candidates[entry.entry_id] = candidate
            self._ordered = None
