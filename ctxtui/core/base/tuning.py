"""Process settings for speed: garbage collection, thread switches, priority, memory."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import Final

# A tenth of Python's default. A key passes through three threads (reader, app, terminal writer), and each waits
# for its turn while a worker counts, searches or audits.
_SWITCH_INTERVAL: Final = 0.0005
# The lowest priority is 19.
_NICENESS: Final = 10

# From malloc.h of glibc.
_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_LARGE: Final = 256 * 1024

# New objects before a collection of the young generation, and collections of one generation before the next older
# generation is collected.
_THRESHOLDS: Final = (20_000, 50, 1_000)


def take_short_turns() -> None:
    """Shorten the thread switch interval of the process, so that the app answers keys while workers count."""
    sys.setswitchinterval(_SWITCH_INTERVAL)


def let_others_first() -> None:
    """Lower the priority of this worker, so that it rarely interrupts the process that waits for its results."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)


def cores() -> int:
    """The number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def give_memory_back() -> None:
    """Let all glibc threads share one heap and return large blocks. Call before the first thread starts."""
    import ctypes  # noqa: PLC0415 - only long-lived processes call this

    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, _LARGE)


def collect_rarely() -> None:
    """Collect garbage rarely in the whole process. Programs call this before their imports.

    Modules and the million objects of a project of ten thousand files stay alive. To scan them again and again would
    take a tenth of the time. At exit nothing is collected.
    """
    gc.set_threshold(*_THRESHOLDS)
    atexit.register(gc.freeze)
