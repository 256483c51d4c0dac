"""Stopping: ends work in a thread when its result is no longer needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Check = Callable[[], None]


class Stopped(Exception):
    """The work was abandoned because its result is no longer wanted."""


def go_on() -> None:
    """The check for work that is never interrupted."""


@contextmanager
def stopping() -> Iterator[Check]:
    """A check for work started in the block; it raises Stopped once the block has been left, for any reason."""
    is_left = threading.Event()

    def check() -> None:
        if is_left.is_set():
            raise Stopped

    try:
        yield check
    finally:
        is_left.set()
