"""How threads and processes take turns, and on how many cores."""

from __future__ import annotations

import os
import sys
from typing import Final

# Python's own are ten times as long. A key wakes the thread that reads it, the one that decides and the one that
# writes to the terminal: each waits for its turn while another counts, searches or audits.
_SECONDS: Final = 0.0005
# Of nineteen steps.
_LATER: Final = 10


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
