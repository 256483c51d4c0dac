"""The index of one root: kept up to date with the disk, and searched with queries. Thread-safe."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from ctxtui.core.base.batches import batches
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.database import FAILURES, is_damaged
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.listing import Listing
from ctxtui.retrieval.contract import RetrievalError
from ctxtui.retrieval.deadline import Stop
from ctxtui.retrieval.index.change_scan import Changes, scan_changes
from ctxtui.retrieval.index.prepare import MAX_BYTES, Prepared, Row
from ctxtui.retrieval.index.prepare_all import helpers_for, prepare_all
from ctxtui.retrieval.index.query import Frequency, Query, Term, expressions, parse
from ctxtui.retrieval.index.store import Store, StoredChunk, remove_store, store_file
from ctxtui.retrieval.index.tokenizer import Words
from ctxtui.retrieval.index.weigh import Weighed, weigh

Value = TypeVar("Value")

# The weight of a word in the heading, in path and ancestor headings, and in metadata, relative to the text.
_HEADING: Final = 3.0
_PLACE: Final = 1.2
_ASIDE: Final = 0.1
_K1: Final = 1.2
_LENGTH_SHARE: Final = 0.75
_TOGETHER: Final = 0.2
_DIGITS: Final = 6

# The most files and bytes of a batch.
_BATCH: Final = (512, 4 * 1024 * 1024)
# The minimum number of ranked chunks.
_MIN_RANKED: Final = 60
# Counting the chunks of a common word takes milliseconds.
_FREQUENCIES: Final = 20_000
# As it is, rebuilt, in memory.
_ATTEMPTS: Final = 3
_PROBLEMS: Final = {
    "secret-file": "contains secrets, judging by its name; it is not searched",
    "too-large": f"larger than {MAX_BYTES // 1_048_576} MB; it is not searched",
    "unreadable-file": "cannot be read; it is not searched",
}
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_PLACE: Final = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    *_BUSY,
)


class Ranked(NamedTuple):
    """A chunk and its score, higher than 0 and at most 1."""

    score: float
    stored: StoredChunk


def rank(query: Query, chunks: Iterable[StoredChunk], average: float) -> list[Ranked]:
    """The chunks by score, best first, then path, then line. `average` is the mean length of a chunk in words."""
    ranked = [Ranked(_score(query, stored.row, average), stored) for stored in chunks]
    return sorted(ranked, key=lambda each: (-each.score, each.stored.path, each.stored.row.start))


def _score(query: Query, row: Row, average: float) -> float:
    body, heading, place, aside = (text.split() for text in (row.body, row.heading, row.place, row.aside))
    length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * (len(body) + len(aside)) / max(average, 1)
    score = 0.0
    for term in query.terms:
        count = _count(term, body) / length + _ASIDE * _count(term, aside) / length
        count += _HEADING * min(_count(term, heading), 1) + _PLACE * min(_count(term, place), 1)
        score += term.weight * count / (count + _K1)
    share = score / query.weight
    return max(round(share * _togetherness(query, row.body, row.heading), _DIGITS), 10**-_DIGITS)


def _count(term: Term, words: Sequence[str]) -> int:
    return sum(map(term.matches, words)) if term.is_prefix else words.count(term.word)


def _togetherness(query: Query, body: str, heading: str) -> float:
    """A factor up to 1, higher the more word pairs of the prompt follow each other in the text, too."""
    if not query.pairs:
        return 1.0
    text = f" {heading}  {body} "
    adjacent = sum(f" {first} {second} " in text for first, second in query.pairs)
    return (1 + _TOGETHER * adjacent / len(query.pairs)) / (1 + _TOGETHER)


class Reached(NamedTuple):
    """The number of up-to-date files in the index, and of all files."""

    files: int
    of: int

    @property
    def words(self) -> str:
        return f"{self.files:,} of {self.of:,} files"


OnReached = Callable[[Reached], None]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How fresh and complete the index must be for a search.

    While the user `is_typing`, the last word of a prompt may be incomplete. The disk is checked again unless it was
    within `max_age` seconds. Indexing takes at most `patience` seconds, None without a limit. `on_reached` receives
    the progress.
    """

    is_typing: bool = False
    max_age: float = 0.0
    patience: float | None = None
    on_reached: OnReached | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The query of a prompt, the matching chunks, best first, and the notices.

    `reached` is the searched share of the project, None for all of it.
    """

    query: Query | None
    ranked: list[Ranked]
    notices: list[Notice]
    reached: Reached | None = None


class Index:
    """The terms of the files that a listing finds below one root, on disk in a directory, else in memory."""

    def __init__(self, root: Root, directory: Path, listing: Listing) -> None:
        self.root = root
        self.words = Words()
        self._file: Path | None = store_file(directory, root.path, listing.name)
        self._listing = listing
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._closing: weakref.finalize[[], Index] | None = None
        self._reset()
        self._memory_notice: Notice | None = None

    def _reset(self) -> None:
        """Forget everything known about the store. A reopened store may have other contents."""
        self._scanned_at = float("-inf")
        self._changes = Changes()
        self._version = -1
        self._stamps: dict[str, Stamp] = {}
        self._problems: list[Notice] = []
        self._size = (0, 0.0)
        self._frequency: Frequency = lambda _word, _is_prefix: 0

    def search(self, prompt: str, limit: int, options: SearchOptions, stop: Stop) -> Ranking:
        """Bring the index up to date, then find at least `limit` chunks, if as many match.

        Raises RetrievalError (timeout) if `stop` comes first.
        """

        def rank_chunks(store: Store) -> tuple[Query | None, list[Ranked]]:
            size, average = self._size
            query = parse(prompt, self.words, self._frequency, size, options.is_typing)
            if query is None:
                return None, []
            distinct: dict[tuple[str, int], StoredChunk] = {}
            for expression in expressions(query):
                chunks = store.best_chunks(expression, max(_MIN_RANKED, 2 * limit))
                distinct |= {(each.path, each.row.start): each for each in chunks}
                if len(distinct) >= 2 * limit:
                    break
            return query, rank(query, distinct.values(), average)

        (query, ranked), notices, reached = self._read_store(options, stop, rank_chunks)
        return Ranking(query, ranked, notices, reached)

    def weigh(self, words: Mapping[str, float], options: SearchOptions, stop: Stop) -> tuple[Weighed, list[Notice]]:
        """Bring the index up to date, then weigh all files by a task's words. Raises as `search` does."""

        def weigh_files(store: Store) -> Weighed:
            return weigh(store, words, self._size[0], lambda word: self._frequency(word, False))

        weighed, notices, _ = self._read_store(options, stop, weigh_files)
        return weighed, notices

    def headed(self, query: str, stop: Stop) -> list[str]:
        """The paths of indexed files with the query as a phrase in a heading. Its last word may be incomplete.

        The disk is checked only if it never was.
        """
        words = self.words.of(query)
        options = SearchOptions(max_age=float("inf"), patience=0.0)
        return self._read_store(options, stop, lambda store: store.headed_files(words))[0] if words else []

    def _read_store(
        self, options: SearchOptions, stop: Stop, read: Callable[[Store], Value]
    ) -> tuple[Value, list[Notice], Reached | None]:
        """The result of `read` for the updated store, the notices, and the searched share, None for everything.

        After a failure of the store, tries again with a rebuilt store, then in memory. Raises RetrievalError, timeout
        if `stop` comes first.
        """
        with self._exclusive(stop):
            for attempt in range(_ATTEMPTS):
                try:
                    store = self._open()
                    notices, reached = self._refresh(store, options, stop)
                    store.leave_out(self._changes.beside & self._stamps.keys())
                    with store.stopping(stop.is_due):
                        answer = read(store)
                except FAILURES as error:
                    self._close()
                    stop.check()
                    self._fall_back(error, attempt)
                    continue
                memory = [self._memory_notice] if self._memory_notice else []
                problems = (problem for problem in self._problems if problem.path not in self._changes.beside)
                return answer, [*memory, *self._changes.notices, *problems, *notices], reached
        raise RetrievalError("unavailable", "the search index cannot be used")

    def close(self) -> None:
        """Close the database. The next search opens it again."""
        with self._lock:
            self._close()

    @contextmanager
    def _exclusive(self, stop: Stop) -> Iterator[None]:
        """Use the index alone in this context. Raises RetrievalError (timeout) if `stop` comes first."""
        while not self._lock.acquire(timeout=0.05):
            stop.check()
        try:
            stop.check()
            yield
        finally:
            self._lock.release()

    def _fall_back(self, error: Exception, attempt: int) -> None:
        """Delete the store at a first failure. At a later one, or without a place for a file, work in memory."""
        logging.getLogger("ctxtui").info("the search index failed", exc_info=error)
        other = sqlite3.SQLITE_CORRUPT if is_damaged(error) else sqlite3.SQLITE_CANTOPEN
        code = getattr(error, "sqlite_errorcode", other) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            return
        if self._file is not None and attempt == 0 and code not in _NO_PLACE:
            remove_store(self._file)
            return
        self._file = None
        message = "the search index cannot be kept on disk; it is rebuilt at each start"
        self._memory_notice = Notice("index-unavailable", message)

    def _open(self) -> Store:
        if self._store is None:
            self._reset()
            self._store = Store(self._file)
            self._closing = weakref.finalize(self, self._store.close)
        return self._store

    def _close(self) -> None:
        if self._closing:
            with suppress(sqlite3.Error):
                self._closing()
        self._store = self._closing = None

    def _refresh(self, store: Store, options: SearchOptions, stop: Stop) -> tuple[list[Notice], Reached | None]:
        """Bring the store up to date, unless the last scan is young enough.

        Returns notices, and the progress if files are left for the next call. None otherwise, and while another
        process writes.
        """
        version = store.version()
        if version != self._version:
            # Another process has written.
            self._stamps = store.stamps()
            self._measure(store)
            self._version = version
        if time.monotonic() - self._scanned_at < options.max_age:
            return [], None
        changes = self._changes = scan_changes(self.root, self._listing, self._stamps)
        try:
            reached = self._apply_changes(store, changes, options, stop) if changes.gone or changes.changed else None
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY:
                raise
            return [Notice("index-busy", "another process is indexing; results may be out of date")], None
        if reached is not None:
            message = f"only {reached.words} are indexed so far; ask again for more"
            return [Notice("index-incomplete", message)], reached
        self._scanned_at = time.monotonic()
        return [], None

    def _apply_changes(self, store: Store, changes: Changes, options: SearchOptions, stop: Stop) -> Reached | None:
        """Write new, changed and deleted files. Returns the progress, None if the index is complete."""
        try:
            store.remove(changes.gone)
            for path in changes.gone:
                del self._stamps[path]
            return self._index_files(store, changes.changed, options, stop)
        finally:
            self._measure(store)

    def _measure(self, store: Store) -> None:
        self._size = store.size()
        self._frequency = lru_cache(_FREQUENCIES)(store.frequency)
        self._problems = [Notice(code, _PROBLEMS.get(code, code), path) for path, code in store.problems()]

    def _index_files(
        self, store: Store, changed: Mapping[str, Stamp], options: SearchOptions, stop: Stop
    ) -> Reached | None:
        """Index files in batches, each stored when complete. Returns the progress, None if the index is complete."""
        until = float("inf") if options.patience is None else time.monotonic() + options.patience
        total = len((self._stamps.keys() | changed.keys()) - self._changes.beside)

        def is_over() -> bool:
            return stop.is_due() or time.monotonic() > until

        def with_progress(files: Iterable[Prepared]) -> Iterator[Prepared]:
            for done, file in enumerate(files):
                if options.on_reached is not None:
                    options.on_reached(Reached(total - len(changed) + done, total))
                yield file

        done = 0
        with closing(prepare_all(self.root, changed, self.words, is_over, helpers_for(changed))) as prepared:
            for batch in batches(with_progress(prepared), lambda file: file.stamp.size, *_BATCH):
                store.put(batch)
                self._stamps.update((file.path, file.stamp) for file in batch)
                done += len(batch)
        stop.check()
        return Reached(total - len(changed) + done, total) if done < len(changed) else None
