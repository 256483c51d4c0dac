"""Files in the user's cache folder that are read back exactly as they were written, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.digest import digest_of
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
    """What was kept: behind `start` in the bytes of a file that may be large, so that nothing is copied.

    The digest is that of the data for a state of the world by this version of the program, `content` that of the data
    alone.
    """

    whole: bytes
    start: int
    digest: str
    content: bytes

    @property
    def data(self) -> bytes:
        """A copy of the data."""
        return self.whole[self.start :]

    @property
    def lines(self) -> list[bytes]:
        """The data by their lines."""
        return self.whole.split(b"\n")[1:]


def read_kept(file: Path, state: bytes = b"") -> Kept | None:
    """What was kept in a file for a state of the world; None if it is damaged or of another state or program."""
    found = recall_kept(file)
    if found is None or found.digest != digest_in(found.content, state):
        return None
    with suppress(OSError):
        os.utime(file)
    return found


def recall_kept(file: Path) -> Kept | None:
    """What was kept in a file last, in any state of the world; None as for `read_kept`."""
    try:
        whole = read_file(file, _MOST_BYTES).data
    except ContextError:
        return None
    start = whole.find(b"\n") + 1
    digest, _, own = whole[: max(0, start - 1)].partition(b" ")
    content = digest_of(memoryview(whole)[start:])
    is_whole = own == digest_in(content, digest).encode()
    return Kept(whole, start, digest.decode(), content) if is_whole else None


def write_kept(file: Path, data: bytes, state: bytes = b"") -> str:
    """Keep data for a state of the world, and return its digest; a cache that cannot be written is not used."""
    content = digest_of(data)
    digest = digest_in(content, state)
    if len(data) < _MOST_BYTES and _is_writing.get():
        own = digest_in(content, digest.encode())
        with suppress(ContextError):
            write_atomic(file, b"%s %s\n%s" % (digest.encode(), own.encode(), data), mode=0o600)
            _prune(file.parent)
    return digest


def digest_in(content: bytes, state: bytes) -> str:
    """The digest of data, whose own digest is `content`, for a state of the world."""
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
