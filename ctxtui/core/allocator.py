"""How the C library keeps memory that was freed."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

# From malloc.h of glibc.
_ARENA_MAX: Final = -8


def keep_one_arena() -> None:
    """Let all threads share one heap, where the C library is glibc: else each keeps what it has freed.

    To be called before the first thread is started.
    """
    import ctypes  # noqa: PLC0415 - only long-lived processes call this

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
