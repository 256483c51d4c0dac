"""Many files prepared for the index, in order, by worker processes if there are enough files."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.tuning import cores
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.retrieval.index.prepare import Order, Prepared, grammars, prepare, prepare_in_worker
from ctxtui.retrieval.index.tokenizer import Words

# A process takes 0.2 s to start and to cache the words of a project, so each pays beyond this many bytes.
_BYTES_EACH: Final = 3_000_000
_MOST: Final = 3
# The files and bytes of one part: some hundredths of a second of work.
_PART: Final = (32, 128 * 1024)
# The longest time in seconds for a part in another process, and how often a waiting caller checks for the end.
_PATIENCE: Final = 30.0
_LOOK: Final = 0.02

IsOver = Callable[[], bool]
Part = Sequence[tuple[str, Stamp]]


def helpers_for(files: Mapping[str, Stamp]) -> int:
    """The number of processes that pays for some files."""
    size = sum(stamp.size for stamp in files.values())
    return min(_MOST, cores(), size // _BYTES_EACH) if cores() > 1 else 0


def prepare_all(
    root: Root, files: Mapping[str, Stamp], words: Words, is_over: IsOver, helpers: int
) -> Generator[Prepared, None, None]:
    """Prepare files in order, each once, by some processes, or here without any.

    If `is_over` before the end, the files prepared until then are yielded, at least one.
    """

    def here(part: Part) -> Iterator[Prepared]:
        for path, stamp in part:
            yield prepare(root, path, stamp, words)
            if is_over():
                return

    parts = list(_cut(files))
    with _in_processes(root, parts, helpers) as answers:
        for part, answer in zip(parts, answers, strict=True):
            while answer and not answer.done() and not is_over():
                wait([answer], _LOOK)
            found = answer.result() if answer and answer.done() else None
            yield from here(part) if found is None else found
            if is_over():
                return


@contextmanager
def _in_processes(
    root: Root, parts: Sequence[Part], helpers: int
) -> Iterator[Sequence[Future[list[Prepared] | None] | None]]:
    """The answers of some processes for each part, None for a part that is left. They end with the context."""
    if not helpers:
        yield [None] * len(parts)
        return
    processes = [WorkProcess() for _ in range(helpers)]
    idle: SimpleQueue[WorkProcess] = SimpleQueue()
    for process in processes:
        idle.put(process)

    def made(part: Part) -> list[Prepared] | None:
        process = idle.get()
        try:
            return process.run(prepare_in_worker, Order(root.way(), grammars(), part), _PATIENCE)
        except (Lost, ContextError):
            return None
        finally:
            idle.put(process)

    with ThreadPoolExecutor(helpers) as pool:
        try:
            yield [pool.submit(made, part) for part in parts]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
    for process in processes:
        process.close()


def _cut(files: Mapping[str, Stamp]) -> Iterator[Part]:
    part: list[tuple[str, Stamp]] = []
    size = 0
    for path, stamp in files.items():
        part.append((path, stamp))
        size += stamp.size
        if len(part) >= _PART[0] or size >= _PART[1]:
            yield part
            part, size = [], 0
    if part:
        yield part
