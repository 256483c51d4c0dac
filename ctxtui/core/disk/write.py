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
_BUFFER_BYTES: Final = 1024 * 1024
# The times of folders without temporary files of other writers, by device and inode, after the last write of this
# process. Listing ten thousand names takes longer than writing a file.
_tidy_versions: Final[dict[tuple[int, int], tuple[int, int]]] = {}


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
    with _drafted(folder, name, data, _known_mode(folder, name) if mode is None else mode) as temporary:
        _move(folder, temporary, name)


def create_file(folder: Folder, name: str, data: Data, mode: int | None = None) -> bool:
    """Write a new file. Returns False if something has its name, and to all but one of concurrent writers.

    Raises OSError.
    """
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
    """Replace a file and keep its mode if it still holds `known`, else return False. Raises OSError.

    A save made meanwhile is put back.
    """
    with _drafted(folder, name, data, _known_mode(folder, name)) as temporary:
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
    """Move the draft `temporary` over a file that holds `known`, where names cannot be exchanged. Raises OSError.

    A second name keeps the old file meanwhile, so that a save is put back. Without hard links, nothing is checked.
    """
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
    """Remove a file if it still holds `known`, else return False. Raises OSError.

    A save made meanwhile is put back.
    """
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
    """Whether a regular file holds exactly `data`. False for a link, and for a missing or unreadable file."""
    try:
        descriptor = folder.open(name, READING)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return stat.S_ISREG(status.st_mode) and status.st_size == len(data) and file.read() == data


def exchange_names(folder: Folder, one: str, other: str) -> bool:
    """Exchange two names of a folder atomically. Returns False if that fails or this system cannot do it."""
    call = _exchange_call()
    if call is None or folder.descriptor is None:
        return False
    sys.audit("os.rename", one, other, folder.descriptor, folder.descriptor)
    return call(folder.descriptor, os.fsencode(one), folder.descriptor, os.fsencode(other), 2) == 0


@cache
def _exchange_call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """The system call that exchanges two names, None where there is none. Its flag is 2 on Linux and on macOS."""
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
    return f".{name[:40]}.{os.getpid()}-{_machine_hash()}-{os.urandom(8).hex()}{_ENDING}"


@contextmanager
def _drafted(folder: Folder, name: str, data: Data, mode: int | None) -> Iterator[str]:
    """The name of a synced temporary file with data and mode, removed after the block.

    Without a mode, the umask decides. Removes temporary files of killed writers first.
    """
    is_tidy = _remove_abandoned(folder)
    temporary = _temporary_name(name)
    descriptor = folder.open(temporary, MAKING, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb", _BUFFER_BYTES) as file:
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


def _known_mode(folder: Folder, name: str) -> int | None:
    with suppress(FileNotFoundError):
        return stat.S_IMODE(folder.status(name).st_mode)
    return None


def _remove_abandoned(folder: Folder) -> bool:
    """Remove temporary files of dead writers, unless the folder is as this process left it.

    Returns whether there was no temporary file at all, False after an OSError.
    """
    with suppress(OSError):
        status = os.stat(folder.place)  # noqa: PTH116 - an open folder
        if _tidy_versions.get((status.st_dev, status.st_ino)) == (status.st_mtime_ns, status.st_ctime_ns):
            return True
        names = os.listdir(folder.place)  # noqa: PTH208 - as above
        found = [*filter(None, map(_TEMPORARY.fullmatch, names))]
        for match in found:
            with suppress(OSError):
                if _is_abandoned(match, folder.status(match[0])):
                    remove_file(folder, match[0])
        return not found
    return False


def _remember_tidy(folder: Folder) -> None:
    with suppress(OSError):
        status = os.stat(folder.place)  # noqa: PTH116 - as above
        if len(_tidy_versions) >= _MOST_FOLDERS:
            _tidy_versions.clear()
        _tidy_versions[status.st_dev, status.st_ino] = (status.st_mtime_ns, status.st_ctime_ns)


def _is_abandoned(match: re.Match[str], status: os.stat_result) -> bool:
    """Whether a temporary file is over an hour old, or its writer, a process of this machine, has ended."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if time.time() - status.st_mtime > _ABANDONED:
        return True
    # On Windows the check of a process would end it, so only age counts.
    if match[2] != _machine_hash() or os.name == "nt":
        return False
    try:
        os.kill(int(match[1]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _machine_hash() -> str:
    """A hash of this machine and container, inside which a process number is unique."""
    machine = os.uname().nodename if hasattr(os, "uname") else ""
    with suppress(OSError):
        machine += os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - no path, a name that the system makes up
    return f"{crc32(os.fsencode(machine)):08x}"
