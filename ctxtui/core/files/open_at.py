"""Opening below a folder, step by step: no link is followed, not even one created meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Content, read_open

# Absent on some platforms; there they change nothing. Without O_NONBLOCK, opening a pipe waits for its other end.
_CAREFUL: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
READING: Final = os.O_RDONLY | _CAREFUL | getattr(os, "O_BINARY", 0)
MAKING: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL | getattr(os, "O_BINARY", 0)
_FOLDER: Final = os.O_RDONLY | _CAREFUL | getattr(os, "O_DIRECTORY", 0)
CAN_OPEN_AT: Final = hasattr(os, "O_NOFOLLOW") and {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= (
    os.supports_dir_fd
)
# The errors of opening if a link or a file replaces a folder.
LINK_ERRORS: Final = (errno.ELOOP, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its names below `top`, held open, so that it stays the same.

    `descriptor` is None if the platform cannot do that.
    """

    top: Path
    inner: Sequence[str]
    descriptor: int | None

    @property
    def path(self) -> Path:
        """Where the folder was opened."""
        return self.top.joinpath(*self.inner)

    def at(self, name: str) -> str:
        """The path of something in this folder for a call with `dir_fd=descriptor`."""
        return name if self.descriptor is not None else str(self.path / name)

    @property
    def place(self) -> int | Path:
        """The argument for listing this folder."""
        return self.path if self.descriptor is None else self.descriptor

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open something in this folder; raises OSError (ELOOP) for a link."""
        return os.open(self.at(name), flags, mode, dir_fd=self.descriptor)

    def read(self, name: str, limit: int) -> Content | None:
        """A regular file of at most `limit` bytes in this folder; None for a link, and for what cannot be read.

        Opening many files of a folder this way takes half the time of entering the folder for each.
        """
        if self.descriptor is None:
            return None
        try:
            descriptor = self.open(name, READING)
        except OSError:
            return None
        try:
            is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return read_open(descriptor, name, limit) if is_regular else None
        except ContextError:
            return None
        finally:
            os.close(descriptor)

    def status(self, name: str) -> os.stat_result:
        """The status of a name, of a link itself; raises OSError."""
        return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)


class Way:
    """The folders that lead to a file below `top`, held open for the next file; a context manager.

    Neighbors share most of their way, and to enter a folder takes as long as to open a file.
    """

    def __init__(self, top: Path) -> None:
        self._top = top
        self._names: list[str] = []
        self._open: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave(0)

    def read(self, parts: Sequence[str], limit: int) -> Content | None:
        """A file by the names that lead to it; None as for `Folder.read`."""
        if not CAN_OPEN_AT:
            return None
        try:
            return self._folder(parts[:-1]).read(parts[-1], limit)
        except OSError:
            return None

    def _folder(self, inner: Sequence[str]) -> Folder:
        shared = 0
        for held, name in zip(self._names, inner, strict=False):
            if held != name:
                break
            shared += 1
        self._leave(shared + 1)
        if not self._open:
            self._open.append(os.open(self._top, _FOLDER & ~os.O_NOFOLLOW))
        for name in inner[shared:]:
            self._open.append(os.open(name, _FOLDER, dir_fd=self._open[-1]))
            self._names.append(name)
        return Folder(self._top, inner, self._open[-1])

    def _leave(self, kept: int) -> None:
        """Close all but the first folders; the one at the top counts."""
        while len(self._open) > kept:
            os.close(self._open.pop())
        del self._names[max(0, kept - 1) :]


@contextmanager
def opened_folder(top: Path, inner: Sequence[str] = (), *, make: bool = False) -> Iterator[Folder]:
    """A folder below `top` by the names in `inner`, created if `make`.

    Only `top` itself may be a link. Raises OSError, of `LINK_ERRORS` if a link or a file is in the path.
    """
    if make:
        (top if CAN_OPEN_AT else top.joinpath(*inner)).mkdir(parents=True, exist_ok=True)
    if not CAN_OPEN_AT:
        yield Folder(top, inner, None)
        return
    descriptor = os.open(top, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for name in inner:
            below = _enter(descriptor, name, make)
            os.close(descriptor)
            descriptor = below
        yield Folder(top, inner, descriptor)
    finally:
        os.close(descriptor)


def _enter(descriptor: int, name: str, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    # Another process may have been faster; a link to nowhere is refused by the next line.
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=descriptor)
    return os.open(name, _FOLDER, dir_fd=descriptor)


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is something at a path; False if it cannot be accessed."""
    return os.path.exists(path)  # noqa: PTH110 - `Path.exists` raises for paths without permission


def is_anything(path: str | os.PathLike[str]) -> bool:
    """Whether there is something at a path, if only a link that leads nowhere; False if it cannot be accessed."""
    return os.path.lexists(path)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to a folder; False if it cannot be accessed."""
    return os.path.isdir(path)  # noqa: PTH112 - as above
