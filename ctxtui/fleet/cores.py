"""Process several repositories on local cores, each in a process that may crash alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import Final, TypeVar

from ctxtui.core.base.tuning import cores
from ctxtui.core.disk.workers.process import Lost, WorkProcess

T = TypeVar("T")
R = TypeVar("R")

_LEAST_MEMORY: Final = 1024**3
_TRIES_ALONE: Final = 3


def on_cores(
    work: Callable[[T], R], arguments: Sequence[T], seconds: float, most: int | None = None
) -> Generator[tuple[T, R | Lost], None, None]:
    """Each argument with the result of `work` as it arrives, or with the reason why its process was lost.

    `work` is a module's function. `seconds` limit each argument. `most` limits the processes, by default to the
    number of cores. Lost arguments that may work again are retried alone at the end. Raises ContextError
    (unavailable) if no process can be started.
    """
    count = max(1, min(most or cores(), len(arguments)))
    processes = [WorkProcess(_memory_per_process(count)) for _ in range(count)]
    free: SimpleQueue[WorkProcess] = SimpleQueue()
    for process in processes:
        free.put(process)

    def run(argument: T, tries: int = 1) -> tuple[T, R | Lost]:
        process = free.get()
        try:
            return argument, process.run(work, argument, seconds, tries)
        except Lost as lost:
            return argument, lost
        finally:
            free.put(process)

    again: list[T] = []
    pool = ThreadPoolExecutor(count, "repository")
    try:
        for done in as_completed([pool.submit(run, argument) for argument in arguments]):
            argument, result = done.result()
            if isinstance(result, Lost) and result.may_work_again:
                again.append(argument)
            else:
                yield argument, result
        for argument in again:
            yield run(argument, _TRIES_ALONE)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # Closing a process ends the thread that waits for it.
        for process in processes:
            process.close()
        pool.shutdown()


def _memory_per_process(count: int) -> int:
    """The bytes of memory per process on this machine, or 0 if unknown."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    return max(_LEAST_MEMORY, whole * 4 // 5 // count)
