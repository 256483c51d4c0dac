"""The change scan: finds the changed files of a root without a walk each time."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.folder_watch import FolderWatch
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.listing import Listing
from ctxtui.core.documents.walk_cache import cached_walk
from ctxtui.retrieval.index.prepare import UNKNOWN

MAX_FILES: Final = 50_000
_MAX_FOLDERS: Final = 50_000
_WHOLE_SECONDS: Final = 10.0
_RULES: Final = (".gitignore", ".git/info/exclude")


@dataclass(frozen=True, slots=True)
class Changes:
    """New or changed files with their versions, and deleted files, by paths below the root."""

    changed: dict[str, Stamp] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


class ChangeScan:
    """Scans one root repeatedly: first with a whole walk, then by the times of folders and files.

    A folder's time shows whether a name was added or removed. Between whole walks, only files in a folder below a
    folder without files are missed. The next walk, after at most ten seconds, finds them.
    """

    def __init__(self, root: Root, listing: Listing) -> None:
        self._root = root
        self._listing = listing
        # The versions of folders and rule files: inside the root, where a watch reports changes, and above it.
        self._marks: dict[str, Stamp | None] = {}
        self._outer: dict[str, Stamp | None] = {}
        self._paths: tuple[str, ...] = ()
        self._walked = float("-inf")
        self._watch = FolderWatch()
        self._folders: frozenset[str] = frozenset()
        self._watched: frozenset[str] | None = None
        # The last walk, until a second question needs the versions of its folders.
        self._last: tuple[list[Found], int] | None = None
        # The versions in the index when they agreed with the disk.
        self._agreed: Mapping[str, Stamp] | None = None
        self.notices: tuple[Notice, ...] = ()
        # Listed files outside this search. They stay in the index for other searches.
        self.beside: frozenset[str] = frozenset()

    def changes(self, known: Mapping[str, Stamp]) -> Changes:
        """The differences between the disk and the known versions."""
        if self._last is not None:
            self._mark(*self._last)
            self._last = None
        is_walk_due = time.monotonic() - self._walked > _WHOLE_SECONDS or not _are_unmoved(self._outer)
        if not is_walk_due and self._agreed is known and self._watched is self._folders and self._watch.is_still():
            return Changes()
        check = None if is_walk_due else self._watch.begin(self._folders, len(self._paths))
        if check is None or not _are_unmoved(self._marks):
            found = self._walk()
        else:
            found, is_plain = self._look(known)
            self._watch.end(check, self._folders, is_plain)
            self._watched = self._folders
        changed = {
            path: stamp
            for path, stamp in found.items()
            if (before := known.get(path)) is not stamp and before != stamp
        }
        gone = tuple(path for path in known if path not in found and path not in self.beside)
        self._agreed = None if changed or gone else known
        return Changes(changed, gone)

    def _look(self, known: Mapping[str, Stamp]) -> tuple[dict[str, Stamp], bool]:
        """The files of the last walk with their versions, and whether none is a link."""
        found = {}
        is_plain = True
        base = f"{self._root.path}/"
        for path in self._paths:
            try:
                status = os.lstat(base + path)
                if status.st_nlink != 1 or not stat.S_ISREG(status.st_mode):
                    # The content of a link may change elsewhere.
                    is_plain = False
                    status = os.stat(base + path)  # noqa: PTH116 - a Path for each of ten thousand files takes longer
            except OSError:
                continue
            stamp = known.get(path, UNKNOWN)
            if (
                status.st_mtime_ns == stamp.mtime_ns
                and status.st_size == stamp.size
                and status.st_ctime_ns == stamp.ctime_ns
            ):
                found[path] = stamp
            else:
                found[path] = Stamp.of(status)
        return found, is_plain

    def _walk(self) -> dict[str, Stamp]:
        notices: list[Notice] = []
        before = time.time_ns()
        found = cached_walk(self._root, self._listing, notices.append)
        listed = self._listing.keep(self._root.path, found)
        wanted = {file.real: file.stamp for file in self._listing.choose(self._root.path, listed)}
        if len(wanted) > MAX_FILES:
            message = f"more than {MAX_FILES:,} files; the rest are not searched"
            notices.append(Notice("too-many-files", message))
            wanted = dict(sorted(wanted.items())[:MAX_FILES])
        self._last = found, before
        self._walked = time.monotonic()
        self._paths = tuple(wanted)
        self.beside = frozenset(file.real for file in listed) - wanted.keys()
        self.notices = tuple(notices)
        return wanted

    def _mark(self, found: Sequence[Found], before: int) -> None:
        """Remember the versions of folders and ignore files, None for versions younger than the walk."""
        top = str(self._root.path)

        def place(path: str) -> str:
            return f"{top}/{path}" if path else top

        def marks(places: Iterable[str]) -> dict[str, Stamp | None]:
            stamps = {each: _stamp(each) for each in places}
            return {each: stamp if stamp.is_settled(before) else None for each, stamp in stamps.items()}

        inside = [place(folder) for folder in _folders(self._root, found)]
        rules = [place(file.path) for file in found if file.path.rpartition("/")[2] == ".gitignore"]
        self._marks = marks((*inside, *rules))
        self._outer = marks(f"{outer}/{name}" for outer in (top, *self._root.path.parents) for name in _RULES)
        # Also the folders of files that are reached through a link.
        folders = frozenset((*inside, *(place(path.rpartition("/")[0]) for path in self._paths)))
        if folders != self._folders:
            self._folders = folders


def _folders(root: Root, found: Iterable[Found]) -> set[str]:
    """The folders with files, their ancestors, and their subfolders without files."""
    known = {""}
    for file in found:
        folder = file.path.rpartition("/")[0]
        while folder not in known:
            known.add(folder)
            folder = folder.rpartition("/")[0]
    pending = [(folder, True) for folder in known]
    while pending and len(known) < _MAX_FOLDERS:
        folder, holds_files = pending.pop()
        for inner in _empty_inside(root.path / folder, holds_files):
            path = f"{folder}/{inner}" if folder else inner
            if path not in known:
                known.add(path)
                pending.append((path, False))
    return known


def _empty_inside(place: Path, holds_files: bool) -> list[str]:
    """The direct subfolders, or none if a folder expected to be without files has one."""
    try:
        with os.scandir(place) as entries:
            listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
    if not holds_files and not all(is_folder for _, is_folder in listed):
        return []
    return [name for name, is_folder in listed if is_folder]


def _are_unmoved(marks: Mapping[str, Stamp | None]) -> bool:
    return all(mark is not None and _stamp(place) == mark for place, mark in marks.items())


def _stamp(place: str) -> Stamp:
    try:
        return Stamp.of(os.stat(place))  # noqa: PTH116 - as above
    except OSError:
        return UNKNOWN
