"""Atomic writes: a temporary file beside the target, synced, then moved into place."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final
from zlib import crc32

from ctxtui.core.disk.open_at import MAKING, READING, Folder

_ENDING: Final = ".ctxtui-tmp"
# The writer's process, the machine where that number is valid, and a unique part.
_TEMPORARY: Final = re.compile(rf"\..+\.(\d{{1,9}})-([0-9a-f]{{8}})-[0-9a-f]{{16}}{re.escape(_ENDING)}", re.DOTALL)
_ABANDONED: Final = 3600.0  # seconds without a change, by any writer
_MOST_FOLDERS: Final = 256
# Bytes per write: thousands of small texts take a few calls.
_TOGETHER: Final = 1024 * 1024
# Folders without temporary files of other writers, by device and inode, after the last write of this process. Listing
# ten thousand names takes longer than writing a file.
_tidy: Final[dict[tuple[int, int], tuple[int, int]]] = {}


Data = bytes | Iterable[bytes]
"""The bytes of a file, at once or in chunks that are made during the write."""


def chunks(data: Data) -> Iterable[bytes]:
    return (data,) if isinstance(data, bytes) else data


def is_temporary(name: str) -> bool:
    """Whether a name is a temporary file, being written or left by a killed writer."""
    return name.endswith(_ENDING) and _TEMPORARY.fullmatch(name) is not None


def replace_file(folder: Folder, name: str, data: Data, mode: int | None = None) -> None:
    """Write a new file, or replace a regular file and keep its mode unless `mode` is given.

    Removes temporary files of killed writers if others changed the folder since the last write of this process.
    Raises OSError and leaves the old file untouched.
    """
    with _drafted(folder, name, data, _mode_of(folder, name) if mode is None else mode) as temporary:
        _move(folder, temporary, name)


def create_file(folder: Folder, name: str, data: Data, mode: int | None = None) -> bool:
    """Write a new file. Returns False if it exists, also for all but one concurrent writer. Raises OSError."""
    with _drafted(folder, name, data, mode) as temporary:
        try:
            _link(folder, temporary, name)
        except FileExistsError:
            return False
        except OSError:
            # Without hard links, an empty file reserves the name until the complete file replaces it.
            try:
                os.close(folder.open(name, MAKING, 0o666))
            except FileExistsError:
                return False
            _move(folder, temporary, name)
    return True


def exchange_file(folder: Folder, name: str, known: bytes, data: bytes) -> bool:
    """Replace a file if it still holds `known`, else return False. Raises OSError.

    A save made meanwhile is put back.
    """
    with _drafted(folder, name, data, _mode_of(folder, name)) as temporary:
        if not _holds(folder, name, known):
            return False
        if not exchange_names(folder, temporary, name):
            return _replace_checked(folder, temporary, name, known)
        if _holds(folder, temporary, known):
            return True
        exchange_names(folder, temporary, name)
        if not _holds(folder, temporary, data):
            # Saved again meanwhile: the newest content stays.
            exchange_names(folder, temporary, name)
        return False


def _replace_checked(folder: Folder, temporary: str, name: str, known: bytes) -> bool:
    """`exchange_file` where names cannot be exchanged. `temporary` is the draft. The old file gets a second name."""
    second = _temporary_name(name)
    try:
        _link(folder, name, second)
    except OSError:
        # A file system without hard links.
        _move(folder, temporary, name)
        return True
    try:
        if not _holds(folder, second, known) or not _holds(folder, name, known):
            return False
        _move(folder, temporary, name)
        if _holds(folder, second, known):
            return True
        _move(folder, second, name)
        return False
    finally:
        with suppress(FileNotFoundError):
            remove_file(folder, second)


def remove_file(folder: Folder, name: str) -> None:
    os.unlink(folder.at(name), dir_fd=folder.descriptor)


def remove_known(folder: Folder, name: str, known: bytes) -> bool:
    """Remove a file if it still holds `known`, else return False. Raises OSError."""
    if not _holds(folder, name, known):
        return False
    aside = _temporary_name(name)
    _move(folder, name, aside)
    if _holds(folder, aside, known):
        remove_file(folder, aside)
        return True
    try:
        _link(folder, aside, name)
    except FileExistsError:
        # Saved again meanwhile: the newest content stays.
        pass
    except OSError:
        _move(folder, aside, name)
        return False
    remove_file(folder, aside)
    return False


def remove_empty_folder(folder: Folder, name: str) -> None:
    os.rmdir(folder.at(name), dir_fd=folder.descriptor)


def _move(folder: Folder, source: str, target: str) -> None:
    places = {"src_dir_fd": folder.descriptor, "dst_dir_fd": folder.descriptor}
    os.replace(folder.at(source), folder.at(target), **places)  # noqa: PTH105 - within the open folder


def _holds(folder: Folder, name: str, data: bytes) -> bool:
    try:
        descriptor = folder.open(name, READING)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return stat.S_ISREG(status.st_mode) and status.st_size == len(data) and file.read() == data


def exchange_names(folder: Folder, one: str, other: str) -> bool:
    """Exchange two names of a folder atomically. Returns False if that fails or this system cannot do it."""
    call = _exchanger()
    if call is None or folder.descriptor is None:
        return False
    sys.audit("os.rename", one, other, folder.descriptor, folder.descriptor)
    return call(folder.descriptor, os.fsencode(one), folder.descriptor, os.fsencode(other), 2) == 0


@cache
def _exchanger() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """The system call that exchanges two names. Its flag is 2 on Linux and on macOS."""
    import ctypes  # noqa: PLC0415 - few commands change files of a project

    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    try:
        call = getattr(ctypes.CDLL(None), name) if name else None
    except (OSError, AttributeError):
        return None
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return call


def _link(folder: Folder, source: str, target: str) -> None:
    places = {"src_dir_fd": folder.descriptor, "dst_dir_fd": folder.descriptor}
    os.link(folder.at(source), folder.at(target), follow_symlinks=False, **places)


def _temporary_name(name: str) -> str:
    return f".{name[:40]}.{os.getpid()}-{_here()}-{os.urandom(8).hex()}{_ENDING}"


@contextmanager
def _drafted(folder: Folder, name: str, data: Data, mode: int | None) -> Iterator[str]:
    """The name of a synced temporary file for `name` with data and mode. It is removed after the block."""
    is_tidy = _is_tidied(folder)
    temporary = _temporary_name(name)
    descriptor = folder.open(temporary, MAKING, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb", _TOGETHER) as file:
            file.writelines(chunks(data))
            file.flush()
            if mode is not None and os.chmod in os.supports_fd:
                os.chmod(file.fileno(), mode)  # noqa: PTH101 - the open file, not the one that now has its name
            os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            remove_file(folder, temporary)
        if is_tidy:
            _remember_tidy(folder)


def _mode_of(folder: Folder, name: str) -> int | None:
    with suppress(FileNotFoundError):
        return stat.S_IMODE(folder.status(name).st_mode)
    return None


def _is_tidied(folder: Folder) -> bool:
    """Remove temporary files of dead writers. Returns whether there was no temporary file, False after an OSError."""
    with suppress(OSError):
        status = os.stat(folder.place)  # noqa: PTH116 - an open folder
        if _tidy.get((status.st_dev, status.st_ino)) == (status.st_mtime_ns, status.st_ctime_ns):
            return True
        names = os.listdir(folder.place)  # noqa: PTH208 - as above
        found = [*filter(None, map(_TEMPORARY.fullmatch, names))]
        for match in found:
            with suppress(OSError):
                if _is_left(match, folder.status(match[0])):
                    remove_file(folder, match[0])
        return not found
    return False


def _remember_tidy(folder: Folder) -> None:
    with suppress(OSError):
        status = os.stat(folder.place)  # noqa: PTH116 - as above
        if len(_tidy) >= _MOST_FOLDERS:
            _tidy.clear()
        _tidy[status.st_dev, status.st_ino] = (status.st_mtime_ns, status.st_ctime_ns)


def _is_left(match: re.Match[str], status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    if time.time() - status.st_mtime > _ABANDONED:
        return True
    # On Windows the check of a process would end it, so only age counts.
    if match[2] != _here() or os.name == "nt":
        return False
    try:
        os.kill(int(match[1]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _here() -> str:
    """A hash of this machine and container, inside which a process number is unique."""
    machine = os.uname().nodename if hasattr(os, "uname") else ""
    with suppress(OSError):
        machine += os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - no path, a name that the system makes up
    return f"{crc32(os.fsencode(machine)):08x}"
