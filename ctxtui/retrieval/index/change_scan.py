"""The change scan: finds the changed files of a root without a walk each time."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from posixpath import dirname
from typing import Final, NamedTuple

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.folder_watch import FolderWatch
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.listing import Listing, cached_walk

MAX_FILES: Final = 50_000


class Changes(NamedTuple):
    """New or changed files with their versions, and deleted files, by paths below the root."""

    changed: Mapping[str, Stamp]
    gone: Sequence[str]


class ChangeScan:
    """Scans one root repeatedly. While the kernel reports no change, no file is looked at."""

    def __init__(self, root: Root, listing: Listing) -> None:
        self._root = root
        self._listing = listing
        self._watch = FolderWatch()
        # What the last walk depends on, and of this what is outside the watched folders, such as ignore files above.
        self._trace = Trace()
        self._outer = Trace()
        # The versions in the index when they agreed with the disk.
        self._agreed: Mapping[str, Stamp] | None = None
        self.notices: tuple[Notice, ...] = ()
        # Listed files outside this search. They stay in the index for other searches.
        self.beside: frozenset[str] = frozenset()

    def changes(self, known: Mapping[str, Stamp]) -> Changes:
        """The differences between the disk and the known versions."""
        if self._agreed is known and self._watch.is_still() and self._outer.holds():
            return Changes({}, ())
        # The first scan of a process is often its last. Watching begins with the second.
        folders = self._folders()
        check = self._watch.begin(folders, len(known))
        found = self._walk()
        if folders:
            versions = self._trace.versions.items()
            outer = {each: version for each, version in versions if folders.isdisjoint((each, dirname(each)))}
            self._outer = Trace(outer, variables=self._trace.variables)
            self._watch.end(check, self._folders(), all(self._is_plain(file, folders) for file in found))
        stamps = {file.real: file.stamp for file in found}
        changed = {path: stamp for path, stamp in stamps.items() if known.get(path) != stamp}
        gone = [path for path in known if path not in stamps and path not in self.beside]
        self._agreed = None if changed or gone else known
        return Changes(changed, gone)

    def _walk(self) -> list[Found]:
        notices: list[Notice] = []
        found, self._trace = cached_walk(self._root, self._listing, notices.append)
        listed = self._listing.keep(self._root.path, found)
        wanted = self._listing.choose(self._root.path, listed)
        if len(wanted) > MAX_FILES:
            message = f"more than {MAX_FILES:,} files; the rest are not searched"
            notices.append(Notice("too-many-files", message))
            wanted = sorted(wanted, key=lambda file: file.real)[:MAX_FILES]
        self.beside = frozenset(file.real for file in listed).difference(file.real for file in wanted)
        self.notices = tuple(notices)
        return wanted

    def _folders(self) -> frozenset[str]:
        """The folders below the root that the last walk looked at."""
        top = f"{self._root.path}/"
        below = (each for each in self._trace.versions if f"{each}/".startswith(top) and "/.git/" not in each)
        return frozenset(filter(os.path.isdir, below))

    def _is_plain(self, file: Found, folders: frozenset[str]) -> bool:
        """Whether a file (or link's target) is regular, has one name and is in `folders`, whose changes are seen."""
        place = f"{self._root.path}/{file.real}"
        try:
            status = os.lstat(place)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and dirname(place) in folders
