"""The cached walk of a folder: while no folder has changed, only the versions of files are read.

A new, deleted or renamed file changes the version of its folder, so names need no listing and ignore rules no
matching. Targets of links and ignore files are checked as well.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from sys import intern
from typing import Any, Final

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.packed import pack
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.walk import Found, OnSome
from ctxtui.core.documents.listing import Listing

_KIND: Final = "walks"
PASSING: Final = frozenset({"unreadable-folder", "too-many-files"})
"""The causes of these notices may end without a change of any folder."""


def cached_walk(
    root: Root, listing: Listing, on_notice: OnNotice, on_some: OnSome | None = None
) -> tuple[list[Found], Trace]:
    """The files that `listing.walk` finds, without a walk while no folder has changed, and what this depends on."""
    began = time.time_ns()
    cache, name = user_cache(), _name(root, listing)
    # Elsewhere, the version of a folder does not tell when it was last changed.
    known = cache.take(_KIND, name) if os.name == "posix" else None
    found = _still_valid(root, known, on_notice)
    if known is not None and found is not None:
        if on_some is not None:
            on_some(found)
        return found, known[0]
    notices: list[Notice] = []

    def note(notice: Notice) -> None:
        notices.append(notice)
        on_notice(notice)

    trace = Trace()
    found = listing.walk(root, note, on_some, trace)
    if os.name == "posix" and trace.is_settled(began) and not any(each.code in PASSING for each in notices):
        rows = [(each.path, each.real, each.ignored) for each in found]
        cache.put(_KIND, name, pack((trace, notices, rows)))
    return found, trace


def _name(root: Root, listing: Listing) -> bytes:
    name = "\0".join((str(root.path), *sorted(listing.hidden), str(listing.with_ignored)))
    return name.encode("utf-8", "surrogatepass")


def _still_valid(root: Root, known: Any, on_notice: OnNotice) -> list[Found] | None:
    """The files of the cached walk as they are now, or None if a new walk could differ."""
    if known is None:
        return None
    trace, notices, rows = known
    try:
        found = _looked_at(str(root.path), rows) if trace.holds() else None
    except (OSError, ValueError):
        return None
    for notice in notices if found is not None else ():
        on_notice(notice)
    return found


def _looked_at(top: str, rows: Iterable[tuple[str, str, bool]]) -> list[Found] | None:
    """The files with their versions, or None if one is no longer a regular file. Raises OSError if one is gone."""
    found, look, is_file = list[Found](), os.stat, stat.S_ISREG
    for path, real, ignored in rows:
        status = look(f"{top}/{path}")
        if not is_file(status.st_mode):
            return None
        found.append(Found(intern(path), intern(real), Stamp.of(status), ignored))
    return found
