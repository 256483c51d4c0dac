"""Stopping: ends work in a thread once nobody waits for its result any more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Check = Callable[[], None]


class Stopped(Exception):
    """The work was given up because its result is not wanted any more."""


def go_on() -> None:
    """The check of work that nobody interrupts."""


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
