"""The other end of `own_process`: a process of this package that does what its input asks for.

It ends when its input does, even while it works, so that none outlives the process that started it.
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
    """Ignore ctrl-c: it reaches the whole group, and the process that started this one is to end it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def orders(read: Callable[[], Order], before_end: Callable[[], object] = lambda: None) -> Iterator[Order]:
    """What `read` gives, as it comes. Once it fails, the process ends, after `before_end`.

    A thread reads from now on, whether anything is taken or not.
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
