"""Opening below a folder, name by name: no link is followed, not even a link created meanwhile."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Flags that some platforms lack, where they are not needed. Without O_NONBLOCK, opening a pipe waits for its other
# end.
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
    """A folder by its names below `top`, held open. `descriptor` is None on platforms without `dir_fd`."""

    top: Path
    inner: Sequence[str]
    descriptor: int | None

    @property
    def path(self) -> Path:
        """The path at which the folder was opened."""
        return self.top.joinpath(*self.inner)

    def at(self, name: str) -> str:
        """The path for a call with `dir_fd=descriptor`: the name alone, or the full path without a descriptor."""
        return name if self.descriptor is not None else str(self.path / name)

    @property
    def place(self) -> int | Path:
        """The argument for `os.scandir`: the descriptor, or the path without one."""
        return self.path if self.descriptor is None else self.descriptor

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open an entry of this folder. Raises OSError (ELOOP) for a link."""
        return os.open(self.at(name), flags, mode, dir_fd=self.descriptor)

    def status(self, name: str) -> os.stat_result:
        """The status of an entry, for a link its own. Raises OSError."""
        return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)


@contextmanager
def opened_folder(top: Path, inner: Sequence[str] = (), *, make: bool = False) -> Iterator[Folder]:
    """The folder at the names `inner` below `top`, created if `make`. Only `top` may be a link.

    Raises OSError, of `LINK_ERRORS` for a link or file in the path.
    """
    if make:
        (top if CAN_OPEN_AT else top.joinpath(*inner)).mkdir(parents=True, exist_ok=True)
    if not CAN_OPEN_AT:
        yield Folder(top, inner, None)
        return
    descriptor = os.open(top, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for name in inner:
            below = _open_subfolder(descriptor, name, make)
            os.close(descriptor)
            descriptor = below
        yield Folder(top, inner, descriptor)
    finally:
        os.close(descriptor)


def _open_subfolder(descriptor: int, name: str, make: bool) -> int:
    """Open a folder in an open folder, created if `make`. Raises OSError, of `LINK_ERRORS` for a link or a file."""
    try:
        return os.open(name, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    # Another process may have been faster. The next line refuses a broken link.
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=descriptor)
    return os.open(name, _FOLDER, dir_fd=descriptor)


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether something exists at a path. False if it cannot be accessed."""
    return os.path.exists(path)  # noqa: PTH110 - `Path.exists` raises for paths without permission


def is_anything(path: str | os.PathLike[str]) -> bool:
    """Whether something exists at a path, even a broken link. False if it cannot be accessed."""
    return os.path.lexists(path)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to a folder. False if it cannot be accessed."""
    return os.path.isdir(path)  # noqa: PTH112 - as above
