"""Who counts: threads of this process, and for many megabytes processes beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from queue import SimpleQueue
from typing import Self

from ctxtui.core.files.count_process import CountProcess, Lost, cores
from ctxtui.core.files.reader import Reader
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter
from ctxtui.core.tokens.engines import FAST, fast_version, is_tested

# A process of its own takes 0.3 s to start and 80 MB: it pays beyond this. The fast engine takes 0.6 s and 120 MB.
LEAST_BYTES = 4_000_000
LEAST_BYTES_FAST = 10_000_000
_MOST = 4
# One batch keeps a core busy for some hundredths of a second and takes little memory.
_BATCH = (64, 1024 * 1024)
_BATCH_FAST = (512, 4 * 1024 * 1024)

Run = Callable[[Sequence[Reference]], list[Notice]]


class Crew:
    """Counts files into a reader's ledger by batches; a context manager that ends the processes it started.

    With `keep`, texts counted here stay in memory as far as there is room. Setting `stop` ends early. `problems` tell
    why the fast engine did not count although it is installed.
    """

    def __init__(
        self, reader: Reader, counter: TokenCounter, files: Sequence[Reference], stop: threading.Event, keep: bool
    ) -> None:
        self.problems: list[Notice] = []
        self._reader, self._counter, self._stop = reader, counter, stop
        self._local: Run = partial(reader.count_batch, counter=counter, keep=keep)
        self._processes: list[CountProcess] = []
        size = 0 if counter.basis == CHARACTERS else sum(each.stamp.size for each in files)
        self._is_fast = size >= LEAST_BYTES_FAST and self._has_fast()
        self._batches = list(_batches(files, *(_BATCH_FAST if self._is_fast else _BATCH)))
        self._hands = self._hired(size)

    def _has_fast(self) -> bool:
        if fast_version() and not is_tested():
            self._tell(f"version {fast_version()} was not compared with tiktoken")
        return is_tested()

    def _hired(self, size: int) -> list[Run]:
        count = min(_MOST, cores())
        if self._is_fast:
            # Two threads ask one process: it counts while the other records.
            return [self._process(fast=True)] * 2
        if size < LEAST_BYTES:
            return [self._local] * count
        return [self._local, *(self._process(fast=False) for _ in range(count - 1))]

    def _process(self, fast: bool) -> Run:
        try:
            process = CountProcess(self._reader.root.path, self._reader.ledger.directory, self._counter, fast)
        except Lost as error:
            if fast:
                self._tell(str(error))
            return self._local
        self._processes.append(process)

        def run(batch: Sequence[Reference]) -> list[Notice]:
            try:
                counted = process.count([each.path for each in batch])
            except Lost as error:
                if fast:
                    self._tell(str(error))
                return self._local(batch)
            return self._reader.record(counted, self._counter)

        return run

    def _tell(self, reason: str) -> None:
        notice = Notice("fast-engine", f"{FAST} did not count ({reason}); tiktoken did")
        if notice not in self.problems:
            self.problems.append(notice)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.close()

    def work(self) -> Iterator[tuple[int, list[Notice]]]:
        """Count everything; yields the number of files and the notices of each batch, as they are done."""
        free: SimpleQueue[Run] = SimpleQueue()
        for hand in self._hands:
            free.put(hand)

        def count(batch: Sequence[Reference]) -> list[Notice]:
            hand = free.get()
            try:
                return [] if self._stop.is_set() else hand(batch)
            finally:
                free.put(hand)

        with ThreadPoolExecutor(len(self._hands), "count") as pool:
            batches = {pool.submit(count, batch): len(batch) for batch in self._batches}
            try:
                for done in as_completed(batches):
                    yield batches[done], done.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _batches(references: Sequence[Reference], most_files: int, most_bytes: int) -> Iterator[list[Reference]]:
    batch: list[Reference] = []
    size = 0
    for reference in references:
        batch.append(reference)
        size += reference.stamp.size
        if len(batch) >= most_files or size >= most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
