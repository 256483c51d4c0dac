"""The worker's side of `worker_process`: jobs from the input.

The worker ends when its input does, even during a job, so that it never outlives its parent.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

Order = TypeVar("Order")


def leave_interrupts() -> None:
    """Ignore Ctrl-C, which reaches the whole group. The parent ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def orders(read: Callable[[], Order], before_end: Callable[[], object] = lambda: None) -> Iterator[Order]:
    """The results of `read`, in order. When it fails, the process ends after `before_end`.

    A thread reads ahead at once.
    """
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


_NEVER = object()
