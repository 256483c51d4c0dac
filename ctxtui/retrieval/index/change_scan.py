"""The change scan: finds the changed files of a root by the cached walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.listing import Listing
from ctxtui.core.documents.walk_cache import cached_walk

MAX_FILES: Final = 50_000


@dataclass(frozen=True, slots=True)
class Changes:
    """New or changed files with their versions, and deleted files, by paths below the root."""

    changed: dict[str, Stamp] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


class ChangeScan:
    """Scans one root repeatedly.

    After a scan, `notices` are those of the walk, and `beside` the listed files outside this search, which stay in
    the index for other searches.
    """

    def __init__(self, root: Root, listing: Listing) -> None:
        self._root = root
        self._listing = listing
        self.notices: tuple[Notice, ...] = ()
        self.beside: frozenset[str] = frozenset()

    def changes(self, known: Mapping[str, Stamp]) -> Changes:
        """The differences between the disk and the known versions."""
        notices: list[Notice] = []
        walked = cached_walk(self._root, self._listing, notices.append)
        listed = self._listing.keep(self._root.path, walked)
        found = {file.real: file.stamp for file in self._listing.choose(self._root.path, listed)}
        if len(found) > MAX_FILES:
            message = f"more than {MAX_FILES:,} files; the rest are not searched"
            notices.append(Notice("too-many-files", message))
            found = dict(sorted(found.items())[:MAX_FILES])
        self.beside = frozenset(file.real for file in listed) - found.keys()
        self.notices = tuple(notices)
        changed = {path: stamp for path, stamp in found.items() if known.get(path) != stamp}
        gone = tuple(path for path in known if path not in found and path not in self.beside)
        return Changes(changed, gone)
