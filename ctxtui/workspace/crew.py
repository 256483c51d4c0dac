"""Who counts: threads of this process, and for many megabytes processes beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, Protocol, Self, TypeVar

from ctxtui.core.files.content import Stamp
from ctxtui.core.files.count_process import CountProcess, Lost, cores
from ctxtui.core.files.reader import Reader
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter
from ctxtui.core.tokens.engines import FAST, fast_version, is_tested

# A process of its own takes 0.4 s to start and 80 MB: it pays beyond this. The fast engine takes 0.6 s and 120 MB.
LEAST_BYTES = 8_000_000
LEAST_BYTES_FAST = 10_000_000
MOST = 4
# One batch keeps a core busy for some hundredths of a second and takes little memory.
_BATCH = (64, 1024 * 1024)
_BATCH_FAST = (512, 4 * 1024 * 1024)

Run = Callable[[Sequence[Reference]], list[Notice]]


class _Sized(Protocol):
    @property
    def stamp(self) -> Stamp: ...


_File = TypeVar("_File", bound=_Sized)


class Means(NamedTuple):
    """How to count some files: in how many processes beside this one, and the most files and bytes of a batch."""

    processes: int
    is_fast: bool
    is_large: bool
    batch: tuple[int, int]


def means_for(size: int, counter: TokenCounter) -> Means:
    """How to count that many bytes."""
    if counter.basis == CHARACTERS:
        return Means(0, False, False, _BATCH)
    is_large = size >= LEAST_BYTES_FAST
    if is_large and is_tested():
        return Means(1, True, True, _BATCH_FAST)
    return Means(min(MOST, cores()) - 1 if size >= LEAST_BYTES else 0, False, is_large, _BATCH)


def start_process(reader: Reader, counter: TokenCounter, fast: bool) -> CountProcess:
    """A process that counts files of a reader's root; raises Lost if it cannot be started."""
    return CountProcess(reader.root.path, reader.ledger.directory, counter, fast)


class Crew:
    """Counts files into a reader's ledger by batches; a context manager that ends its processes.

    With `keep`, texts counted here stay in memory as far as there is room. Setting `stop` ends early. `processes`
    have been started before. `problems` tell why the fast engine did not count although it is installed.
    """

    def __init__(
        self,
        reader: Reader,
        counter: TokenCounter,
        files: Sequence[Reference],
        stop: threading.Event,
        keep: bool,
        processes: Sequence[CountProcess] = (),
    ) -> None:
        self.problems: list[Notice] = []
        self._reader, self._counter, self._stop = reader, counter, stop
        self._is_over = False
        self._local: Run = partial(reader.count_batch, counter=counter, keep=keep)
        means = means_for(sum(each.stamp.size for each in files), counter)
        if fast_version() and not is_tested() and means.is_large:
            self._tell(f"version {fast_version()} was not compared with tiktoken")
        self._batches = list(batches(files, *means.batch))
        self._processes = list(processes)
        if not processes:
            self._start(means)
        self._hands = self._hired()

    def _start(self, means: Means) -> None:
        for _ in range(means.processes):
            try:
                self._processes.append(start_process(self._reader, self._counter, means.is_fast))
            except Lost as error:
                self._tell_lost(means.is_fast, error)

    def _hired(self) -> list[Run]:
        if not self._processes:
            return [self._local] * min(MOST, cores())
        hands = [self._run_by(each) for each in self._processes]
        # Two threads ask the fast process, which counts while the other one records.
        return hands * 2 if self._processes[0].is_fast else [self._local, *hands]

    def _run_by(self, process: CountProcess) -> Run:
        def run(batch: Sequence[Reference]) -> list[Notice]:
            try:
                counted = process.count([each.path for each in batch])
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
