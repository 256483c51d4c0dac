"""Files in the user's cache folder that are read back exactly as they were written, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic
from ctxtui.core.program import program_state

# This many files of a kind are kept, of this many bytes together; those used longest ago go first.
_MOST: Final = 64
_MOST_BYTES: Final = 512 * 1024 * 1024

_is_writing: ContextVar[bool] = ContextVar("is_writing", default=True)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Within it, this thread keeps nothing new: many projects of others would drive out what is the user's own."""
    before = _is_writing.set(False)
    try:
        yield
    finally:
        _is_writing.reset(before)


def kept_file(kind: str, name: bytes) -> Path:
    """The file that keeps what is known about something of a kind, such as a folder."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - only for projects and large directories

    return user_cache_path("ctxtui") / kind / f"{blake2b(name, digest_size=12).hexdigest()}.json"


class Kept(NamedTuple):
    """What was kept, and its digest: that of the data for a state of the world by this version of the program."""

    data: bytes
    digest: str


def read_kept(file: Path, state: bytes = b"") -> Kept | None:
    """What was kept in a file for a state of the world; None if it is damaged or of another state or program."""
    found = recall_kept(file)
    if found is None or found.digest != _digest(_content(found.data), state):
        return None
    with suppress(OSError):
        os.utime(file)
    return found


def recall_kept(file: Path) -> Kept | None:
    """What was kept in a file last, in any state of the world; None as for `read_kept`."""
    try:
        digests, _, data = read_file(file, _MOST_BYTES).data.partition(b"\n")
    except ContextError:
        return None
    digest, _, own = digests.partition(b" ")
    is_whole = own == _digest(_content(data), digest).encode()
    return Kept(data, digest.decode()) if is_whole else None


def write_kept(file: Path, data: bytes, state: bytes = b"") -> str:
    """Keep data for a state of the world, and return its digest; a cache that cannot be written is not used."""
    content = _content(data)
    digest = _digest(content, state)
    if len(data) < _MOST_BYTES and _is_writing.get():
        own = _digest(content, digest.encode())
        with suppress(ContextError):
            write_atomic(file, b"%s %s\n%s" % (digest.encode(), own.encode(), data), mode=0o600)
            _prune(file.parent)
    return digest


def _content(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def _digest(content: bytes, state: bytes) -> str:
    key = blake2b(state, digest_size=16, key=program_state()).digest()
    return blake2b(content, digest_size=16, key=key).hexdigest()


def _prune(folder: Path) -> None:
    """Remove the files that were used longest ago, beyond a number and a size."""
    with suppress(OSError):
        left, room = _MOST, _MOST_BYTES
        for file in sorted(folder.glob("*.json"), key=lambda file: -file.stat().st_mtime_ns):
            left, room = left - 1, room - file.stat().st_size
            if left < 0 or room < 0:
                file.unlink()
