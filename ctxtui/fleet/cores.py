"""Work on several repositories on the cores of this machine, each in a process that can be lost alone."""

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


def on_cores(
    work: Callable[[T], R], asked: Sequence[T], seconds: float, most: int | None = None
) -> Generator[tuple[T, R | Lost], None, None]:
    """What a function of a module returns for each argument, as it is done; or how the process for it was lost.

    `seconds` are those for each, `most` is the number of processes, by default that of the cores. What was lost is
    tried again, with no other process beside it. Raises ContextError (unavailable) if no process can be started.
    """
    count = max(1, min(most or cores(), len(asked)))
    processes = [WorkProcess(memory_for(count)) for _ in range(count)]
    free: SimpleQueue[WorkProcess] = SimpleQueue()
    for process in processes:
        free.put(process)

    def run(one: T) -> R | Lost:
        process = free.get()
        try:
            return process.run(work, one, seconds)
        except Lost as lost:
            return lost
        finally:
            free.put(process)

    again: list[T] = []
    pool = ThreadPoolExecutor(count, "repository")
    try:
        waiting = {pool.submit(run, one): one for one in asked}
        for done in as_completed(waiting):
            one, result = waiting.pop(done), done.result()
            if isinstance(result, Lost) and result.may_work_again:
                again.append(one)
            else:
                yield one, result
        for one in again:
            yield one, run(one)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # A thread that waits for a process waits no longer once it is gone.
        for process in processes:
            process.close()
        pool.shutdown()


def memory_for(count: int) -> int:
    """The bytes of memory for each of some processes on this machine, 0 if that is not known."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    return max(_LEAST_MEMORY, whole * 4 // 5 // count)
