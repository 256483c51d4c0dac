"""A project's root: bounded reading that never leaves it, and atomic writing."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ctxtui.core.errors import ContextError

MAX_BYTES: Final = 16 * 1024 * 1024
# Absent on some platforms; there they change nothing.
_OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER_FLAGS: Final = _OPEN_FLAGS | getattr(os, "O_DIRECTORY", 0)
_CAN_OPEN_AT: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one version of a file from the next without reading it; times in nanoseconds."""

    mtime_ns: int
    ctime_ns: int
    size: int

    @staticmethod
    def of(status: os.stat_result) -> Stamp:
        """The stamp in an `os.stat` result."""
        return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size)


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of one version of a file."""

    data: bytes
    stamp: Stamp


class Root:
    """A directory, resolved once; every path given to it is relative, in POSIX style."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.realpath(path))

    def resolve(self, path: str) -> Path:
        """The real place of a relative path; ContextError (invalid_request) where that lies outside the root."""
        if "\0" in path:
            raise ContextError("invalid_request", f"a path holds a NUL character: {path!r}")
        real = Path(os.path.realpath(self.path / path))
        if not real.is_relative_to(self.path):
            raise ContextError("invalid_request", f"{path} leads out of the project", hint="it is not read")
        return real

    def read(self, path: str, limit: int = MAX_BYTES) -> Content:
        """Read a regular file of at most `limit` bytes.

        Raises ContextError: invalid_request for a path out of the root, no regular file or one too large,
        unauthorized for one that may not be read, unavailable for one that is gone.
        """
        try:
            descriptor = self._open(path)
        except PermissionError as error:
            raise ContextError("unauthorized", f"{path} may not be read") from error
        except OSError as error:
            raise ContextError("unavailable", f"{path} cannot be read: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise ContextError("invalid_request", f"{path} is no regular file")
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            return self._read_open(file.fileno(), file.readall, path, limit)

    def _open(self, path: str) -> int:
        """Open a path, folder by folder where no link is on the way, so that nothing can be put in between."""
        *folders, name = path.split("/")
        if not _CAN_OPEN_AT or "\0" in path or any(part in ("", ".", "..") for part in (*folders, name)):
            return os.open(self.resolve(path), _OPEN_FLAGS)
        place = os.open(self.path, _FOLDER_FLAGS)
        try:
            for folder in folders:
                inner = os.open(folder, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=place)
                os.close(place)
                place = inner
            return os.open(name, _OPEN_FLAGS | os.O_NOFOLLOW, dir_fd=place)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
        finally:
            os.close(place)
        return os.open(self.resolve(path), _OPEN_FLAGS)

    @staticmethod
    def _read_open(descriptor: int, read_all: Callable[[], bytes], path: str, limit: int) -> Content:
        for _ in range(3):
            status = os.fstat(descriptor)
            if status.st_size > limit:
                size = f"{status.st_size / 1_048_576:,.0f} MB"
                raise ContextError("invalid_request", f"{path} is too large to read ({size})")
            os.lseek(descriptor, 0, os.SEEK_SET)
            try:
                data = read_all()
            except OSError as error:
                raise ContextError("unavailable", f"{path} cannot be read: {error.strerror}") from error
            stamp = Stamp.of(status)
            if Stamp.of(os.fstat(descriptor)) == stamp and len(data) == stamp.size:
                return Content(data, stamp)
        raise ContextError("unavailable", f"{path} keeps changing while it is read", retryable=True)


def write_atomic(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a whole file or nothing: a temporary neighbour, synced, then moved over the old one.

    A link is followed, so that it stays one. Raises ContextError (unavailable) naming path and cause.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(_mode_for(target) if mode is None else mode)
            Path(name).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        hint = "choose another place or make it writable"
        raise ContextError("unavailable", f"cannot write {path}: {error.strerror}", hint=hint) from error


def _mode_for(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
