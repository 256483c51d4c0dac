"""The content of a file, and the stamp that distinguishes its versions."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError, invalid

MAX_BYTES: Final = 16 * 1024 * 1024
"""The most bytes that are read from a file."""

_TRIES: Final = 3
# After a write, another write within the clock's resolution leaves the same stamp.
_RACY_NS: Final = 100_000_000


class Stamp(NamedTuple):
    """Identifies a version of a file without reading it. Times are in nanoseconds."""

    mtime_ns: int
    ctime_ns: int
    size: int

    @staticmethod
    def of(status: os.stat_result) -> Stamp:
        return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size)

    def is_young(self, now: int | None = None) -> bool:
        """Whether a change at `now` (ns since 1970, by default the current time) could leave the same stamp."""
        now = time.time_ns() if now is None else now
        return min(abs(now - self.mtime_ns), abs(now - self.ctime_ns)) < _RACY_NS

    def is_settled(self, moment: int) -> bool:
        """Whether the stamp is so much older than `moment` (ns since 1970) that any later change alters it."""
        return max(self.mtime_ns, self.ctime_ns) < moment - _RACY_NS


@dataclass(frozen=True, slots=True)
class Content:
    data: bytes
    stamp: Stamp


def read_open(descriptor: int, path: str, limit: int) -> Content:
    """The content of an open file at its beginning.

    Raises ContextError, naming `path`: invalid_request above `limit` bytes, unavailable if unreadable or in flux.
    """
    for attempt in range(_TRIES):
        stamp = Stamp.of(os.fstat(descriptor))
        if stamp.size > limit:
            size = f"{stamp.size / 1_048_576:,.0f} MB" if stamp.size >= 1_048_576 else f"{stamp.size:,} bytes"
            raise invalid(f"{path} is too large to read ({size})")
        if attempt:
            os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            # One byte more, to see whether the file has grown.
            data = os.read(descriptor, stamp.size + 1)
            while len(data) < stamp.size and (more := os.read(descriptor, stamp.size + 1 - len(data))):
                data += more
        except OSError as error:
            raise ContextError("unavailable", f"{path} cannot be read: {error.strerror}") from error
        if Stamp.of(os.fstat(descriptor)) == stamp and len(data) == stamp.size:
            return Content(data, stamp)
    raise ContextError("unavailable", f"{path} keeps changing while it is read", retryable=True)
