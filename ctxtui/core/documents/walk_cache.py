"""The last walk of a folder, kept in the cache: while no folder has changed, its files are only looked at.

To add, remove or rename something in a folder changes that folder's own version, so names need no listing and ignore
rules no matching again. What links lead to and what was read for the rules are looked at as well.
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
"""What these notices tell of may be over, though no folder has changed."""


def known_walk(root: Root, listing: Listing, on_notice: OnNotice, on_some: OnSome | None = None) -> list[Found]:
    """What `listing.walk` finds, without a walk as long as no folder has changed since the last one."""
    began = time.time_ns()
    # Elsewhere a version does not tell when a folder was changed last.
    if os.name != "posix":
        return listing.walk(root, on_notice, on_some)
    cache, name = user_cache(), _name(root, listing)
    found = _recalled(root, cache.take(_KIND, name), on_notice)
    if found is not None:
        if on_some is not None:
            on_some(found)
        return found
    notices: list[Notice] = []

    def note(notice: Notice) -> None:
        notices.append(notice)
        on_notice(notice)

    trace = Trace()
    found = listing.walk(root, note, on_some, trace)
    if trace.is_settled(began) and not any(each.code in PASSING for each in notices):
        rows = [(each.path, each.real, each.ignored) for each in found]
        cache.put(_KIND, name, pack((trace, notices, rows)))
    return found


def _name(root: Root, listing: Listing) -> bytes:
    name = "\0".join((str(root.path), *sorted(listing.hidden), str(listing.with_ignored)))
    return name.encode("utf-8", "surrogatepass")


def _recalled(root: Root, known: Any, on_notice: OnNotice) -> list[Found] | None:
    """What the last walk found, as it is now; None if another walk could find something else."""
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
    """The files with their versions; None if one is not a regular file any more. Raises OSError if one is gone."""
    found, look, is_file = list[Found](), os.stat, stat.S_ISREG
    for path, real, ignored in rows:
        status = look(f"{top}/{path}")
        if not is_file(status.st_mode):
            return None
        found.append(Found(intern(path), intern(real), Stamp.of(status), ignored))
    return found
