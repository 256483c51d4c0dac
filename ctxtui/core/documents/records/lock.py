"""A lock between processes on a directory of records."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_DIRECTORY", 0)
SECONDS: Final = 10.0
"""The longest wait for another process."""
_PAUSE: Final = 0.005


@contextmanager
def alone_in(directory: Path, seconds: float = SECONDS) -> Iterator[None]:
    """Hold the lock of a directory. The lock writes no file, and ends with the process at the latest.

    A missing directory needs no lock, and Windows has none. Raises ContextError (unavailable) if another process
    holds the lock for `seconds`.
    """
    descriptor = None
    with suppress(OSError):
        descriptor = os.open(directory, _FLAGS)
    if descriptor is None:
        yield
        return
    try:
        _acquire_lock(descriptor, directory, seconds)
        yield
    finally:
        os.close(descriptor)


def _acquire_lock(descriptor: int, directory: Path, seconds: float) -> None:
    try:
        import fcntl  # noqa: PLC0415 - only POSIX has it
    except ImportError:
        return
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                hint = "try again once that process has ended"
                raise ContextError("unavailable", f"{directory} is locked by another process", True, hint) from None
            time.sleep(_PAUSE)
        except OSError:
            # On a file system without locks, writes are still atomic, but may follow one another.
            return
        else:
            return
