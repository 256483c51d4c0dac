"""Many files prepared for the index, in order, with worker processes if there are enough files."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from ctxtui.core.base.batches import batches
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.tuning import cores
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.retrieval.index.prepare import Prepared, PrepareJob, grammars, prepare, prepare_in_worker
from ctxtui.retrieval.index.tokenizer import Words

# A process takes 0.2 s to start and to cache the words of a project, so each pays beyond this many bytes.
_BYTES_EACH: Final = 3_000_000
_MOST: Final = 3
# The files and bytes of one part: some hundredths of a second of work.
_PART: Final = (32, 128 * 1024)
# How often, in seconds, a waiting caller checks for the end, and how long before it does a silent worker's part.
_LOOK: Final = 0.02
_PATIENCE: Final = 30.0

IsOver = Callable[[], bool]
Part = Sequence[tuple[str, Stamp]]


def helpers_for(files: Mapping[str, Stamp]) -> int:
    """The number of worker processes that are worth their start for some files, 0 for few bytes."""
    size = sum(stamp.size for stamp in files.values())
    return min(_MOST, cores() - 1, size // _BYTES_EACH)


def prepare_all(
    root: Root, files: Mapping[str, Stamp], words: Words, is_over: IsOver, helpers: int
) -> Generator[Prepared, None, None]:
    """Prepare files in order, each once, with the help of as many worker processes as `helpers`.

    If `is_over` before the end, the files prepared until then are yielded, at least one.
    """
    parts = Parts(root, files, words, is_over)
    with ExitStack() as stack:
        for _ in range(helpers):
            stack.enter_context(_worker(root, parts))
        yield from parts.prepared()


class Parts:
    """Files in parts, each prepared by a worker process, or here if no worker does."""

    def __init__(self, root: Root, files: Mapping[str, Stamp], words: Words, is_over: IsOver) -> None:
        self._root, self._words, self._is_over = root, words, is_over
        self._parts = list(batches(files.items(), lambda file: file[1].size, *_PART))
        self._left = deque(enumerate(self._parts))
        self._results: SimpleQueue[tuple[int, list[Prepared] | None]] = SimpleQueue()
        self._done: dict[int, list[Prepared]] = {}
        self._until = monotonic() + _PATIENCE

    def take(self) -> tuple[int, Part] | None:
        """The number and files of the next part that is left, or None."""
        try:
            return self._left.popleft()
        except IndexError:
            return None

    def give(self, number: int, files: list[Prepared] | None) -> None:
        """Take a worker's files of a part, None if the worker failed."""
        self._results.put((number, files))

    def prepared(self) -> Iterator[Prepared]:
        """All files in order. If `is_over` before the end, only those prepared until then."""
        for number in range(len(self._parts)):
            while number not in self._done:
                self._advance(number)
                if self._is_over():
                    yield from (file for part in sorted(self._done) for file in self._done[part])
                    return
            yield from self._done.pop(number)

    def _advance(self, number: int) -> None:
        """Prepare a part that is left, or wait a moment for a worker's part. `number` is the part needed next."""
        if self._results.empty() and (part := self.take()):
            self._prepare(*part)
            return
        try:
            finished, files = self._results.get(timeout=_LOOK)
        except Empty:
            if monotonic() > self._until:
                self._prepare(number, self._parts[number])
            return
        if finished < number:
            # The part took too long, and was prepared here.
            return
        if files is None:
            self._prepare(finished, self._parts[finished])
        else:
            self._keep(finished, files)

    def _prepare(self, number: int, part: Part) -> None:
        """Prepare a part here, or its first files if `is_over`, at least one."""
        files: list[Prepared] = []
        for path, stamp in part:
            files.append(prepare(self._root, path, stamp, self._words))
            if self._is_over():
                break
        self._keep(number, files)

    def _keep(self, number: int, files: list[Prepared]) -> None:
        self._done[number] = files
        self._until = monotonic() + _PATIENCE


@contextmanager
def _worker(root: Root, parts: Parts) -> Iterator[None]:
    """Run a worker process on the parts in this context, if one can be started. It ends at once with the context."""
    process = WorkProcess()
    thread = Thread(target=_work_on, args=(process, root, parts), daemon=True)
    thread.start()
    try:
        yield
    finally:
        process.kill()
        thread.join()
        process.close()


def _work_on(process: WorkProcess, root: Root, parts: Parts) -> None:
    """Have a process prepare parts until none is left or it fails. A failed part is given back."""
    while (part := parts.take()) is not None:
        number, files = part
        try:
            parts.give(number, process.run(prepare_in_worker, PrepareJob(root.way(), grammars(), files), _PATIENCE))
        except (Lost, ContextError):
            parts.give(number, None)
            return
