"""Results kept in files of the user's cache, each valid for one key; damaged or foreign ones are the same as none."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic

_MAX_BYTES: Final = 256 * 1024 * 1024
# The most results that are kept; those used longest ago go first.
_MOST_KEPT: Final = 64


def read_kept(file: Path, key: str) -> bytes | None:
    """What was kept with this key; None if nothing whole was."""
    try:
        head, _, body = read_file(file, _MAX_BYTES).data.partition(b"\n")
    except ContextError:
        return None
    if head != _head(key, body):
        return None
    with suppress(OSError):
        os.utime(file)
    return body


def write_kept(file: Path, key: str, body: bytes) -> None:
    """Keep a result for the next time, readable by the user only; does nothing if the cache cannot be written."""
    with suppress(ContextError):
        write_atomic(file, _head(key, body) + b"\n" + body, mode=0o600)
        _prune(file.parent)


def _head(key: str, body: bytes) -> bytes:
    named = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16)
    return f"{named.hexdigest()} {blake2b(body, digest_size=16).hexdigest()}".encode()


def _prune(folder: Path) -> None:
    """Remove the results that were used longest ago, beyond a number and a size."""
    with suppress(OSError):
        left, room = _MOST_KEPT, _MAX_BYTES
        for file in sorted(folder.glob("*.json"), key=lambda file: -file.stat().st_mtime_ns):
            left, room = left - 1, room - file.stat().st_size
            if left < 0 or room < 0:
                file.unlink()
