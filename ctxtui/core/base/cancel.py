"""Cancellation: end the work of a thread when its result is no longer needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Check = Callable[[], None]


class Stopped(Exception):
    """The work was canceled: nobody needs its result."""


def go_on() -> None:
    """Do nothing: the check for work that is never canceled."""


@contextmanager
def stopping() -> Iterator[Check]:
    """A check for work started in the block. After the block is left for any reason, the check raises Stopped."""
    is_left = threading.Event()

    def check() -> None:
        if is_left.is_set():
            raise Stopped

    try:
        yield check
    finally:
        is_left.set()
