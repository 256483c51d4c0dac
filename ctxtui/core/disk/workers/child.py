"""The worker process: it reads jobs as pickles and answers with pickles. Both ends are this program.

It ends when its input does, even during a job, so that it never outlives its parent.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import IO, Any, Final, NamedTuple, TypeVar

from ctxtui.core.base.tuning import let_others_first
from ctxtui.core.base.wording import plural

Order = TypeVar("Order")

_NEVER: Final = object()
NO_MEMORY = "needs more memory than it may have"
"""The reason for a project that exceeds the memory limit."""


def late(seconds: float) -> str:
    """The words for a project that took longer than the limit: `took more than 30 seconds`."""
    return f"took more than {plural(round(seconds), 'second')}"


class Answer(NamedTuple):
    """The result of a job, or its uncaught exception as text. The process ends if it `is_spent`."""

    value: Any = None
    error: str = ""
    is_spent: bool = False


def ignore_interrupts() -> None:
    """Ignore Ctrl-C, which reaches the whole group. The parent ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def orders(read: Callable[[], Order], before_end: Callable[[], object] = lambda: None) -> Iterator[Order]:
    """The results of calling `read` ahead in a thread. If it raises, the process ends after `before_end`."""
    waiting: SimpleQueue[Order] = SimpleQueue()

    def feed() -> None:
        try:
            with suppress(Exception):
                while True:
                    waiting.put(read())
            before_end()
        finally:
            os._exit(0)

    threading.Thread(target=feed, name="orders", daemon=True).start()
    return iter(waiting.get, _NEVER)


def _limit_memory(size: int) -> None:
    """Limit the memory of this process to `size` bytes where the system can, and write no core dumps."""
    try:
        import resource  # noqa: PLC0415 - only POSIX has it
    except ImportError:
        return
    # Not the address space, because threads reserve more than they use.
    for what, most in ((resource.RLIMIT_DATA, size), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


def _is_spent(memory: int) -> bool:
    """Whether this process used half of `memory` bytes (0: no limit). The rest may be too fragmented for a job."""
    try:
        import resource  # noqa: PLC0415 - only POSIX has it
    except ImportError:
        return False
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 2 * most * (1 if sys.platform == "darwin" else 1024) > memory > 0


def _answer(order: Any, memory: int) -> Answer:
    """The answer for an order, a function and its argument. Raises nothing: an exception becomes text."""
    work, argument = order
    try:
        return Answer(work(argument), is_spent=_is_spent(memory))
    except MemoryError:
        return Answer(error=NO_MEMORY, is_spent=True)
    except Exception as error:  # noqa: BLE001 - it is for the one that asked to say what is wrong
        return Answer(error=f"a bug in ctxtui: {type(error).__name__}: {error}")


def _end_group() -> None:
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)


def main() -> None:
    """Run jobs from the input until it ends or a job has used up the memory. The first answer is this file's path.

    The argument is the memory limit in bytes, 0 for none.
    """
    ignore_interrupts()
    let_others_first()
    inbox: IO[bytes] = os.fdopen(os.dup(0), "rb")
    outbox: IO[bytes] = os.fdopen(os.dup(1), "wb")
    # Libraries must not print among the answers, and git must not read the jobs.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    memory = int(sys.argv[1])
    if memory:
        _limit_memory(memory)
    pickle.dump(__file__, outbox)
    outbox.flush()
    for order in orders(partial(pickle.load, inbox), _end_group):
        answer = _answer(order, memory)
        pickle.dump(answer, outbox)
        outbox.flush()
        if answer.is_spent:
            os._exit(0)


if __name__ == "__main__":
    # Under its own name instead of `__main__`, so that both ends unpickle the same classes.
    from ctxtui.core.disk.workers import child as work_child

    work_child.main()
