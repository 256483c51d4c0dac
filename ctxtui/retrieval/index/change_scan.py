"""The change scan: the differences between an index and the files of its root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.listing import Listing, cached_walk

MAX_FILES: Final = 50_000


class Changes(NamedTuple):
    """New or changed files with their versions, and deleted files, by paths below the root.

    `beside` are listed files outside this search. They stay in the index for other searches.
    """

    changed: Mapping[str, Stamp] = {}
    gone: Sequence[str] = ()
    beside: frozenset[str] = frozenset()
    notices: tuple[Notice, ...] = ()


def scan_changes(root: Root, listing: Listing, known: Mapping[str, Stamp]) -> Changes:
    """The differences between the disk and the known versions.

    More than 50,000 files are a notice, and the last of them by path are not searched.
    """
    notices: list[Notice] = []
    listed = listing.keep(root.path, cached_walk(root, listing, notices.append))
    wanted = listing.choose(root.path, listed)
    if len(wanted) > MAX_FILES:
        notices.append(Notice("too-many-files", f"more than {MAX_FILES:,} files; the rest are not searched"))
        wanted = sorted(wanted, key=lambda file: file.real)[:MAX_FILES]
    stamps = {file.real: file.stamp for file in wanted}
    beside = frozenset(file.real for file in listed).difference(stamps)
    changed = {path: stamp for path, stamp in stamps.items() if known.get(path) != stamp}
    gone = [path for path in known if path not in stamps and path not in beside]
    return Changes(changed, gone, beside, tuple(notices))
