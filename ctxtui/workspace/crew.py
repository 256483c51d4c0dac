"""Who counts: threads of this process, and for many megabytes processes beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, Protocol, Self, TypeVar

from ctxtui.core.files.content import Stamp
from ctxtui.core.files.count_files import Pass
from ctxtui.core.files.count_process import CountProcess, Lost, Passed, can_fork, cores
from ctxtui.core.files.reader import MOST_HANDS, Reader
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter
from ctxtui.core.tokens.engines import FAST, fast_version, is_tested

# A process of its own takes 0.4 s to start and 80 MB: it pays beyond this. The fast engine takes 0.6 s and 120 MB.
LEAST_BYTES = 8_000_000
LEAST_BYTES_FAST = 10_000_000
# With other work on each text it pays for this part of them.
_WITH_MORE = 2
# One batch keeps a core busy for some hundredths of a second and takes little memory.
_BATCH = (64, 512 * 1024)
_BATCH_FAST = (512, 4 * 1024 * 1024)

Run = Callable[[Sequence[Reference]], list[Notice]]


class _Sized(Protocol):
    @property
    def stamp(self) -> Stamp: ...


_File = TypeVar("_File", bound=_Sized)


class Means(NamedTuple):
    """How to count some files: in how many processes beside this one, with how many workers each, by what batches."""

    processes: int
    workers: int
    is_fast: bool
    is_large: bool
    batch: tuple[int, int]


def means_for(size: int, counter: TokenCounter, most: int = MOST_HANDS, has_more: bool = False) -> Means:
    """How to count that many bytes, with at most some hands; one hand is this process alone.

    It `has_more` to do if other functions look at the texts as well.
    """
    if counter.basis == CHARACTERS or most == 1:
        return Means(0, 0, False, False, _BATCH)
    is_large = size >= LEAST_BYTES_FAST
    if is_large and is_tested():
        return Means(1, 1, True, True, _BATCH_FAST)
    hands = min(most, cores())
    if hands == 1 or size < (LEAST_BYTES // _WITH_MORE if has_more else LEAST_BYTES):
        return Means(0, 0, False, is_large, _BATCH)
    # Workers share one encoder, and this process builds none.
    processes, workers = (1, hands) if can_fork() else (hands - 1, 1)
    return Means(processes, workers, False, is_large, _BATCH)


def enough_for(size: int, counter: TokenCounter, most: int, has_more: bool) -> Means | None:
    """As `means_for`, for that many bytes and more; None if more must be known before a process is started."""
    means = means_for(size, counter, most, has_more)
    is_sure = means.is_fast or not is_tested()
    return means if means.processes and is_sure else None


def start_processes(reader: Reader, counter: TokenCounter, means: Means, also: Passed) -> list[CountProcess]:
    """Processes that count files of a reader's root; raises Lost if one cannot be started."""
    started: list[CountProcess] = []
    place, ledger, passes = reader.root.path, reader.ledger.directory, reader.passes
    try:
        for _ in range(means.processes):
            started.append(CountProcess(place, ledger, counter, means.is_fast, means.workers, also, passes))
    except Lost:
        _end(started)
        raise
    return started


class Crew:
    """Counts files into a reader's ledger by batches; a context manager that ends its processes.

    With `keep`, texts counted here stay in memory as far as there is room. Setting `stop` ends early. `processes`
    have been started before; others do `also` look at the texts. All are given to an `heir` at the end instead, if
    there is one. `problems` tell why the fast engine did not count although it is installed.
    """

    def __init__(
        self,
        reader: Reader,
        counter: TokenCounter,
        files: Sequence[Reference],
        stop: threading.Event,
        keep: bool,
        processes: Sequence[CountProcess] = (),
        also: Sequence[Pass] = (),
        heir: Callable[[Sequence[CountProcess]], None] | None = None,
    ) -> None:
        self.problems: list[Notice] = []
        self._reader, self._counter, self._stop = reader, counter, stop
        self._is_over = False
        self._heir = heir or _end
        self._local: Run = partial(reader.count_batch, counter=counter, keep=keep)
        means = means_for(sum(each.stamp.size for each in files), counter, reader.hands, bool(also))
        if fast_version() and not is_tested() and means.is_large:
            self._tell(f"version {fast_version()} was not compared with tiktoken")
        self._batches = list(batches(files, *means.batch))
        self._processes = list(processes)
        if not processes:
            self._start(means, also)
        self._hands = self._hired()

    def _start(self, means: Means, also: Sequence[Pass]) -> None:
        try:
            self._processes += start_processes(self._reader, self._counter, means, also)
        except Lost as error:
            self._tell_lost(means.is_fast, error)

    def _hired(self) -> list[Run]:
        if not self._processes:
            return [self._local] * min(self._reader.hands, cores())
        hands = [self._run_by(each, worker) for each in self._processes for worker in range(each.workers)]
        free = 0 if self._processes[0].is_fast else max(0, min(self._reader.hands, cores()) - len(hands))
        # Two threads ask each worker, which counts while the other one records.
        return hands * 2 + [self._local] * free

    def _run_by(self, process: CountProcess, worker: int) -> Run:
        def run(batch: Sequence[Reference]) -> list[Notice]:
            try:
                counted = process.count([each.path for each in batch], worker)
            except Lost as error:
                if self._is_over:
                    return []
                self._tell_lost(process.is_fast, error)
                return self._local(batch)
            return self._reader.record(counted, self._counter)

        return run

    def _tell_lost(self, is_fast: bool, error: Lost) -> None:
        if is_fast:
            self._tell(str(error))

    def _tell(self, reason: str) -> None:
        notice = Notice("fast-engine", f"{FAST} did not count ({reason}); tiktoken did")
        if notice not in self.problems:
            self.problems.append(notice)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # After ctrl-c no thread takes over what the processes leave.
        self._is_over = True
        self._heir(self._processes)

    def work(self) -> Iterator[tuple[int, list[Notice]]]:
        """Count everything; yields the number of files and the notices of each batch, as they are done."""
        free: SimpleQueue[Run] = SimpleQueue()
        for hand in self._hands:
            free.put(hand)

        def count(batch: Sequence[Reference]) -> list[Notice]:
            hand = free.get()
            try:
                return [] if self._is_over or self._stop.is_set() else hand(batch)
            finally:
                free.put(hand)

        from concurrent.futures import ThreadPoolExecutor, as_completed  # noqa: PLC0415 - only if something is counted

        with ThreadPoolExecutor(len(self._hands), "count") as pool:
            waiting = {pool.submit(count, batch): len(batch) for batch in self._batches}
            try:
                for done in as_completed(waiting):
                    yield waiting[done], done.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _end(processes: Sequence[CountProcess]) -> None:
    for process in processes:
        process.close()


def batches(references: Sequence[_File], most_files: int, most_bytes: int) -> Iterator[list[_File]]:
    batch: list[_File] = []
    size = 0
    for reference in references:
        batch.append(reference)
        size += reference.stamp.size
        if len(batch) >= most_files or size >= most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
