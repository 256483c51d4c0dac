"""Stores of entries, in a directory or in memory, and filters of queries (entries specification 1.3, 3 to 5)."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.documents.records.directory import Keep, Record, RecordDirectory, write_record
from ctxtui.core.tokens.arguments import a_function, a_path, shown
from ctxtui.entries.as_record import to_entry, to_record
from ctxtui.entries.types import ContextEntry, ContextQuery, checked

_LATEST = datetime.max.replace(tzinfo=UTC)


class Candidate(NamedTuple):
    """An entry and its folded content, which is kept because folding takes longer than a search in it."""

    entry: ContextEntry
    folded: str

    @staticmethod
    def of(entry: ContextEntry) -> Candidate:
        return Candidate(entry, entry.content.casefold())


_Meets = Callable[[Candidate], bool]


def _matching(candidates: Iterable[Candidate], query: ContextQuery) -> list[ContextEntry]:
    """The entries that meet all filters, in the same order. Raises ContextError (invalid_request) for a bad query."""
    if not isinstance(query, ContextQuery):
        raise invalid(f"not a query: {shown(query)}", hint="give a ContextQuery")
    if query.max_results is not None and query.max_results < 0:
        raise invalid(f"the limit {query.max_results} is negative", hint="give 0 or more")
    for meets in _filters(query):
        candidates = filter(meets, candidates)
    most = None if query.max_results is None else min(query.max_results, sys.maxsize)
    return [each.entry for each in islice(candidates, most)]


def _filters(query: ContextQuery) -> list[_Meets]:
    """One test of a candidate for each filter of a query that is not empty."""
    filters: list[_Meets] = []
    if query.category is not None:
        filters.append(lambda each: each.entry.category == query.category)
    if query.reference_code is not None:
        filters.append(lambda each: each.entry.reference_code == query.reference_code)
    if query.tags:
        wanted = frozenset(query.tags)
        filters.append(lambda each: not wanted.isdisjoint(each.entry.tags))
    if query.keywords:
        keywords = query.keywords.casefold()
        filters.append(lambda each: keywords in each.folded)
    return filters


class _Unexpected(Exception):
    """Raised if the entry to replace is not the expected one."""


class FileContextProvider:
    """Reads and writes the entries of a directory. Safe for several threads, tasks and processes.

    A missing directory reads as empty and is created when the first entry is stored. The next query includes files
    that others add, change or delete. A problem with a file is a notice, once for each version.
    """

    def __init__(self, directory: str | os.PathLike[str], on_notice: OnNotice | None = None) -> None:
        self._on_notice = a_function(on_notice, "on_notice") or log_notice
        self._path = PurePath(a_path(directory, "directory"))
        self._directory = RecordDirectory(directory, self._on_notice)
        self._lock = threading.Lock()
        self._records: object = None
        self._candidates_by_id: dict[str, tuple[Record, Candidate]] = {}

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id.

        Raises ContextError if the path is not a directory or cannot be read.
        """
        return await asyncio.to_thread(lambda: _matching(self._current_candidates(), query))

    async def store(self, entry: ContextEntry) -> None:
        """Write an entry atomically, replacing an entry with the same id, whose unknown keys are kept.

        Raises ContextError: invalid_request for an entry that a file cannot represent, unavailable if writing fails.
        """
        checked(entry)
        await asyncio.to_thread(self._directory.revise, entry.entry_id, lambda before: to_record(entry, before))

    async def create(self, entry: ContextEntry) -> bool:
        """Write an entry if its id is free, else return False. Raises ContextError as `store` does.

        Of several concurrent writers, one succeeds.
        """
        checked(entry)
        return await asyncio.to_thread(self._directory.create, to_record(entry)) is not None

    async def replace(
        self, entry: ContextEntry, keep: Keep, expected: Callable[[ContextEntry | None], bool] | None = None
    ) -> bool:
        """Store an entry as `store` does, after `keep` received the name and the bytes of the replaced file.

        False, with nothing written, if `expected` rejects the current entry of the id. Raises ContextError as `store`
        does, and the exceptions of `keep`.
        """

        def make(before: Record | None) -> Record:
            # Its problems were reported when it was read.
            current = to_entry(before, lambda _code, _message: None) if before else None
            if expected and not expected(current):
                raise _Unexpected
            return to_record(entry, before)

        checked(entry)
        try:
            await asyncio.to_thread(self._directory.revise, entry.entry_id, make, keep)
        except _Unexpected:
            return False
        return True

    def _current_candidates(self) -> list[Candidate]:
        """The candidates as they are on disk, made anew only for changed records."""
        records = self._directory.all()
        problems: list[tuple[str, str, str]] = []
        with self._lock:
            if records is not self._records:
                self._candidates_by_id = {
                    record.id: (record, self._candidate(record, problems)) for record in records
                }
                self._records = records
            candidates = [candidate for _, candidate in self._candidates_by_id.values()]
        for id_, code, message in problems:
            path = self._path / self._directory.path_of(id_).name
            self._on_notice(Notice(code, message, path.as_posix()))
        return candidates

    def _candidate(self, record: Record, problems: list[tuple[str, str, str]]) -> Candidate:
        known = self._candidates_by_id.get(record.id)
        if known and known[0] is record:
            return known[1]
        return Candidate.of(to_entry(record, lambda code, message: problems.append((record.id, code, message))))


class InMemoryContextProvider:
    """Keeps entries in memory, and refuses those that a file cannot represent. Safe for several threads and tasks."""

    def __init__(self) -> None:
        self._candidates: dict[str, Candidate] = {}

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id."""
        candidates = [*self._candidates.values()]
        candidates.sort(key=lambda each: (_LATEST - each.entry.created_at, each.entry.entry_id))
        return _matching(candidates, query)

    async def store(self, entry: ContextEntry) -> None:
        """Store an entry, replacing an entry with the same id.

        Raises ContextError (invalid_request) for an entry that a file cannot represent.
        """
        # Writing is the check.
        write_record(to_record(checked(entry)))
        self._candidates[entry.entry_id] = Candidate.of(entry)
