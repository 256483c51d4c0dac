"""The folder watch: the kernel says whether anything in some folders changed, so that no file needs a check.

A query of 10,000 files takes 17 ms instead of 73. `tests/core/test_folder_watch.py` compares the answers. watchfiles
does not replace this: asked right after a change, its thread had not seen 6 to 11 % of the changes yet.

It uses inotify on local file systems of Linux. Elsewhere the answer is always that something may have changed.
inotify misses writes through a memory map or through a new second name in another folder, and mounts over a folder.
The next check of the files, after five seconds at most, finds them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

# Writes, attributes, moves, creation and deletion in a folder and of the folder. Only folders can be watched.
_CHANGES: Final = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x0100_0000
# ext2 to ext4, XFS, Btrfs, tmpfs, F2FS.
_LOCAL: Final = frozenset({0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010})
_EVENTS: Final = 64 * 1024
_STATFS_BYTES: Final = 512
# After this time, the files are checked in any case.
_SECONDS: Final = 5.0
# The most watched folders, and the largest share of the user's limit for all programs.
_MOST_FOLDERS: Final = 20_000
_SHARE: Final = 8
_FEW_FOLDERS: Final = 1_000
_ALLOWED: Final = Path("/proc/sys/fs/inotify/max_user_watches")
# Fewer files are checked faster than watched.
_WORTH: Final = 500


class FolderWatch:
    """Knows whether folders changed since the last check of their files. Thread-safe.

    A check runs between `begin` and `end`, which receives the result of `begin`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: _Queue | None = None
        self._process = 0
        self._folders: frozenset[str] = frozenset()
        self._tops: dict[str, tuple[int, int]] = {}
        self._checks = 0
        self._began = self._until = 0.0

    def is_still(self) -> bool:
        """Whether nothing changed since the last check began, at most five seconds ago. False if unknown."""
        with self._lock:
            if time.monotonic() >= self._until:
                return False
            is_still = (
                self._queue is not None
                and self._process == os.getpid()
                and not self._queue.changes()
                and all(_identity(folder) == known for folder, known in self._tops.items())
            )
            if not is_still:
                self._until = 0.0
            return is_still

    def begin(self, folders: Collection[str], files: int) -> int:
        """Begin a check of about that many files in these folders, and return its number for `end`.

        Changes count from now on.
        """
        with self._lock:
            self._checks += 1
            self._until, self._folders, self._tops = 0.0, frozenset(), {}
            if files < _WORTH or len(folders) > _most_folders():
                return self._checks
            if self._queue is None or self._process != os.getpid():
                # A child process would take events away from its parent.
                self._queue, self._process = _Queue.opened(), os.getpid()
            if self._queue and self._queue.watch(folders):
                self._queue.changes()
                self._folders = frozenset(folders)
                # The parent of a watched folder reports its replacement.
                tops = (folder for folder in self._folders if folder.rpartition("/")[0] not in self._folders)
                self._tops = {folder: _identity(folder) for folder in tops}
                self._began = time.monotonic()
            return self._checks

    def end(self, check: int, folders: Iterable[str], is_plain: bool) -> None:
        """End the check numbered `check`. Unless `is_plain` (no links, no second names), `is_still` stays False."""
        with self._lock:
            if check == self._checks and is_plain and self._folders and self._folders == frozenset(folders):
                self._until = self._began + _SECONDS


class _Queue:
    """The kernel's queue of changes in the watched folders."""

    def __init__(self, library: Any, descriptor: int) -> None:
        self._library = library
        self._descriptor = descriptor
        self._watches: dict[str, int] = {}
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def opened(cls) -> _Queue | None:
        """A new queue, or None on other platforms."""
        library = _library()
        descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC) if library else -1
        return cls(library, descriptor) if descriptor >= 0 else None

    def watch(self, folders: Collection[str]) -> bool:
        """Watch exactly these folders. Returns False if one cannot be watched."""
        for folder in self._watches.keys() - set(folders):
            self._library.inotify_rm_watch(self._descriptor, self._watches.pop(folder))
        for folder in folders:
            # Known folders as well: a replaced folder has another watch number.
            watch = self._library.inotify_add_watch(self._descriptor, os.fsencode(folder), _CHANGES)
            if watch < 0:
                return False
            if self._watches.get(folder) != watch:
                if not _is_local(self._library, folder):
                    self._library.inotify_rm_watch(self._descriptor, watch)
                    return False
                self._watches[folder] = watch
        return True

    def changes(self) -> bool:
        """Whether something may have changed since the last call."""
        found = False
        try:
            while os.read(self._descriptor, _EVENTS):
                found = True
        except BlockingIOError:
            return found
        except OSError:
            return True
        return True


@cache
def _most_folders() -> int:
    try:
        return min(_MOST_FOLDERS, int(_ALLOWED.read_text("ascii")) // _SHARE)
    except (OSError, ValueError):
        return _FEW_FOLDERS


def _identity(folder: str) -> tuple[int, int]:
    """Distinguishes a folder from another folder in its place."""
    try:
        status = os.stat(folder)  # noqa: PTH116 - a text, hundreds of times
    except OSError:
        return -1, -1
    return status.st_dev, status.st_ino


def _is_local(library: Any, folder: str) -> bool:
    import ctypes  # noqa: PLC0415 - as in `_library`

    status = (ctypes.c_char * _STATFS_BYTES)()
    if library.statfs(os.fsencode(folder), status) != 0:
        return False
    return int.from_bytes(status.raw[:4], "little") in _LOCAL


@cache
def _library() -> Any:
    """The system's C library, or None without inotify."""
    if sys.platform != "linux" or sys.byteorder != "little":
        return None
    import ctypes  # noqa: PLC0415 - for large folders alone

    try:
        library = ctypes.CDLL(None)
        return library if library.inotify_init1 and library.statfs else None
    except (OSError, AttributeError):
        return None
