"""Garbage collection: while many values are made, it looks at all of them repeatedly and finds nothing."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

# Python's own are ten times as long. A key wakes the thread that reads it, the one that decides and the one that
# writes to the terminal: each waits for its turn while another counts, searches or audits.
_SECONDS: Final = 0.0005
# Of nineteen steps.
_LATER: Final = 10

# From malloc.h of glibc.
_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_LARGE: Final = 256 * 1024

# How many more objects than were freed are made before the young are looked at; how many such looks, before the next
# older ones are; and again, before all are.
_RARELY: Final = (20_000, 50, 1_000)


def take_short_turns() -> None:
    """Let threads that wait for Python go on soon, in the whole process: for programs that answer keys."""
    sys.setswitchinterval(_SECONDS)


def let_others_first() -> None:
    """Give way to other processes from now on, above all to the one that waits for what this one finds.

    That one goes on as soon as there is something for it, and interrupts this one less often.
    """
    if hasattr(os, "nice"):
        os.nice(_LATER)


def cores() -> int:
    """The number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def give_memory_back() -> None:
    """Let all threads share one heap, where the C library is glibc: otherwise each keeps what it has freed.

    Large pieces are given back as soon as they are free: otherwise each one that is freed lets the heap keep larger
    ones from then on. To be called before the first thread is started.
    """
    import ctypes  # noqa: PLC0415 - only long-lived processes call this

    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, _LARGE)


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
