"""How the C library keeps memory that was freed."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

# From malloc.h of glibc.
_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_LARGE: Final = 256 * 1024


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
