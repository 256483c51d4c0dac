"""Counting a workspace into the ledger, in threads of this process, and in a second process for many megabytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self, TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.tuning import cores
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.read_cache import SMALL
from ctxtui.core.documents.reader import Reader, Versioned
from ctxtui.core.text.decode import damage_at
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import CHARACTERS, TokenCounter
from ctxtui.core.tokens.encodings import FAST_FROM, count_tokens, expect_much, slow_engine
from ctxtui.core.tokens.ledger import Size
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from ctxtui.core.disk.workers.process import WorkProcess
    from ctxtui.core.documents.count_files import TextTask
    from ctxtui.workspace.large_data import Reason

# A second process needs 0.6 s to start with the fast engine, and 100 MB. It pays beyond this size.
LEAST_BYTES = 8_000_000
# With tasks on each text, a second process pays from this fraction of the size.
_WITH_MORE: Final = 2
# The most files and bytes of a batch.
_BATCH = (512, 4 * 1024 * 1024)
# The largest file takes some seconds, including the search for secrets.
_SECONDS: Final = 60.0
# The finished batches between two writes of the ledger.
_FLUSH_EVERY: Final = 20

Progress = Callable[[int, int], None]

_File = TypeVar("_File", bound=Versioned)


def count_all(
    workspace: Workspace,
    counter: TokenCounter,
    on_progress: Progress | None = None,
    *,
    stop: threading.Event | None = None,
    only: Sequence[Reference] | None = None,
    with_large: bool = False,
    workers: CountingWorkers | None = None,
    again: Sequence[Reference] = (),
) -> list[Notice]:
    """Count the documents that the ledger does not know: `only` some, or all except large data. Returns the problems.

    `with_large` includes large data. `workers` may have begun while the project was opened. Their tasks also run on
    the texts of documents named `again`, which are counted already. `on_progress` receives the numbers of finished
    and of all files, in this thread. `stop` ends early.
    """
    reader = workspace.reader
    workers = workers if workers and workers.counter.key == counter.key else None
    if workers:
        workers.finish()
    wanted = [each for each in workspace.references if with_large or not each.is_on_request] if only is None else only
    sizes = [reader.size(each, counter) for each in wanted]
    unknown = [each for each, size in zip(wanted, sizes, strict=True) if size is None]
    notices: list[Notice] = []
    done = 0
    stop = stop or threading.Event()
    files = [*unknown, *(each for each in again if reader.size(each, counter) is not None)]
    if files:
        with nullcontext(workers) if workers else CountingWorkers(counter) as counting:
            for finished, (some, told) in enumerate(counting.count(reader, files, stop), 1):
                notices += told
                done += some
                if on_progress and not stop.is_set():
                    on_progress(done, len(files))
                if finished % _FLUSH_EVERY == 0:
                    reader.ledger.flush()
            notices += counting.problems
    reader.ledger.flush()
    if only is None and not stop.is_set():
        reader.forget_reads()
    if unknown:
        sizes = [reader.size(each, counter) for each in wanted]
    return notices + list(_damaged(wanted, sizes))


def uncounted(workspace: Workspace, references: Iterable[Reference], counter: TokenCounter) -> list[Reference]:
    """The large data that is not counted yet."""
    return [each for each in references if each.is_on_request and workspace.reader.size(each, counter) is None]


def _damaged(references: Sequence[Reference], sizes: Sequence[Size | None]) -> Iterator[Notice]:
    """Notices for files with invalid text, also for counts from the cache."""
    for reference, size in zip(references, sizes, strict=True):
        if size is not None and size.damage:
            yield damage_at(reference.path, size.damage)


class CountingWorkers:
    """Count files into a reader's ledger in batches. The second process ends with the context.

    Counting may `begin` while the project is being opened, at no extra time. The second process runs `tasks` on every
    text; `wanted` filters the paths that are counted early. If the process is lost, threads count its files.
    `problems` says why the fast engine did not count.
    """

    def __init__(
        self,
        counter: TokenCounter,
        tasks: Callable[[], Sequence[TextTask]] = tuple,
        wanted: Callable[[str], bool] | None = None,
    ) -> None:
        # A counter that caches counts cannot be pickled.
        self.counter = replace(counter, tokens_of=count_tokens)
        self.problems: list[Notice] = []
        self._tasks_of, self._wanted = tasks, wanted
        self._tasks: Sequence[TextTask] = ()
        self._unknown: list[Found] = []
        self._begun: list[Future[list[Notice]]] = []
        self._why: Reason | None = None
        self._process: WorkProcess | None = None
        self._is_lost = self._is_much = False
        self._pool: ThreadPoolExecutor | None = None
        self._asking = threading.Lock()
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._process:
            self._process.kill()
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        if self._process:
            self._process.close()

    def begin(self, reader: Reader, files: Sequence[Found]) -> None:
        """Count new files early, once there are enough of them. Called during the walk.

        Large files wait: counting one that nobody needs would delay the others.
        """
        key, ledger = self.counter.key, reader.ledger
        self._unknown += (
            each
            for each in files
            if each.path == each.real
            and not each.ignored
            and each.stamp.size <= SMALL
            and (self._wanted is None or self._wanted(each.path))
            and ledger.size(key, each.path, each.stamp) is None
        )
        if not self._process and not self._start(reader, self._unknown, LEAST_BYTES):
            return
        from ctxtui.workspace.large_data import reasons  # noqa: PLC0415 - for large projects that are not known yet
        from ctxtui.workspace.opening.plain_files import BINARY  # noqa: PLC0415 - as above

        why = self._why = self._why or reasons(reader.root.read)
        usual = [
            each
            for each in self._unknown
            if each.path.rpartition(".")[2].lower() not in BINARY and why(each.path, each.stamp.size) is None
        ]
        self._unknown = []
        self._begun += (self._submit(reader, batch) for batch in batches(usual))

    def finish(self) -> None:
        """Wait for the early batches."""
        for each in self._begun:
            each.result()
        self._begun = []

    def count(
        self, reader: Reader, files: Sequence[Versioned], stop: threading.Event
    ) -> Iterator[tuple[int, list[Notice]]]:
        """Count files. Yields the number of files and the notices of each finished batch. `stop` ends early."""
        from concurrent.futures import as_completed  # noqa: PLC0415 - only if something is counted

        least = LEAST_BYTES if self._tasks_of is tuple else LEAST_BYTES // _WITH_MORE
        if not self._process and not self._start(reader, files, least):
            self._start_threads(min(reader.workers, cores()))
            if sum(each.stamp.size for each in files) >= FAST_FROM and self.counter.basis != CHARACTERS:
                expect_much(self.counter.basis)
        waiting = {self._submit(reader, batch, stop): len(batch) for batch in batches(files)}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
        self._note_problem(slow_engine(self.counter.basis))

    def _start(self, reader: Reader, files: Sequence[Versioned], least: int) -> bool:
        """Start the second process if the files have at least `least` bytes. Return whether it runs."""
        size = sum(each.stamp.size for each in files)
        if self.counter.basis == CHARACTERS or size < least or min(reader.workers, cores()) == 1:
            return False
        from ctxtui.core.disk.workers.process import WorkProcess  # noqa: PLC0415 - few projects are large and not known yet

        self._process, self._is_much = WorkProcess(), size >= FAST_FROM
        self._start_threads(2)
        self._tasks = self._tasks_of()
        return True

    def _start_threads(self, workers: int) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - as above

        if self._pool:
            self._pool.shutdown()
        self._pool = ThreadPoolExecutor(workers, "count")

    def _submit(
        self, reader: Reader, batch: Sequence[Versioned], stop: threading.Event | None = None
    ) -> Future[list[Notice]]:
        assert self._pool
        return self._pool.submit(self._count, reader, batch, stop or self._is_over)

    def _count(self, reader: Reader, batch: Sequence[Versioned], stop: threading.Event) -> list[Notice]:
        if self._process and not self._is_lost and not stop.is_set():
            found = self._count_in_process(reader, batch, self._process)
            if found is not None:
                return found
        # After Ctrl-C, no thread takes over files of the process.
        return [] if stop.is_set() or self._is_over.is_set() else reader.count_batch(batch, self.counter)

    def _count_in_process(
        self, reader: Reader, batch: Sequence[Versioned], process: WorkProcess
    ) -> list[Notice] | None:
        """The notices of files counted by the process, or None if it is lost."""
        from ctxtui.core.disk.workers.process import Lost  # noqa: PLC0415 - as above
        from ctxtui.core.documents.count_in_worker import CountOrder, CountPlace, count_in_worker  # noqa: PLC0415 - as above

        place = CountPlace(reader.root.way(), reader.ledger.directory, reader.cache.directory)
        workers = min(reader.workers, cores())
        order = CountOrder(place, self.counter, self._is_much, self._tasks, workers, [each.path for each in batch])
        # While one thread records counts, the process counts the next batch for the other.
        with self._asking:
            if self._is_lost:
                return None
            try:
                files, found, problem = process.run(count_in_worker, order, _SECONDS)
            except (Lost, ContextError):
                self._is_lost = True
                return None
        reader.cache.give(found)
        self._note_problem(problem)
        return reader.record(files, self.counter)

    def _note_problem(self, problem: str) -> None:
        notice = Notice("fast-engine", f"toktok did not count ({problem}); tiktoken did")
        if problem and notice not in self.problems:
            self.problems.append(notice)


def batches(files: Sequence[_File]) -> Iterator[list[_File]]:
    most_files, most_bytes = _BATCH
    batch: list[_File] = []
    size = 0
    for each in files:
        batch.append(each)
        size += each.stamp.size
        if len(batch) >= most_files or size >= most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
