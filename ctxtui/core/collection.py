"""Garbage collection: while many values are made, it looks at all of them repeatedly and finds nothing."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# How many more objects than were freed are made before the young are looked at; how many such looks, before the next
# older ones are; and again, before all are.
_RARELY: Final = (20_000, 50, 1_000)


def collect_rarely() -> None:
    """Look for garbage rarely from now on, in the whole process: for programs, before they import what they need.

    Modules, and the million objects that a project of ten thousand files makes, stay alive: scanning them for garbage
    repeatedly takes a tenth of the time. At the end of the process, all are let go without a look.
    """
    gc.set_threshold(*_RARELY)
    atexit.register(gc.freeze)


def share() -> None:
    """Never look at what exists now, before a process forks: looking would write to memory that both share."""
    gc.freeze()


@contextmanager
def uncollected(*, is_last: bool = False) -> Iterator[None]:
    """No collection while many values are made that stay; the first time, they are never looked at later either.

    Nor if it `is_last`, after which a process has nothing left to do.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_last or not gc.get_freeze_count():
            gc.freeze()
        if was_enabled:
            gc.enable()
