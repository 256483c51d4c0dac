"""The last walk of a folder, kept in the cache: while no folder has changed, its files are only looked at.

To add, remove or rename something in a folder changes that folder's own version, so names need no listing and ignore
rules no matching again. What links lead to and what was read for the rules are looked at as well.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from sys import intern
from typing import Any, Final

from ctxtui.core.files.content import Stamp
from ctxtui.core.files.kept import kept_file, read_kept, write_kept
from ctxtui.core.files.listing import Listing
from ctxtui.core.files.root import Root
from ctxtui.core.files.trace import Trace
from ctxtui.core.files.walk import Found, OnSome
from ctxtui.core.notices import Notice, OnNotice

PASSING: Final = frozenset({"unreadable-folder", "too-many-files"})
"""What these notices tell of may be over, though no folder has changed."""


def known_walk(root: Root, listing: Listing, on_notice: OnNotice, on_some: OnSome | None = None) -> list[Found]:
    """What `listing.walk` finds, without a walk as long as no folder has changed since the last one."""
    began = time.time_ns()
    # Elsewhere a version does not tell when a folder was changed last.
    if os.name != "posix":
        return listing.walk(root, on_notice, on_some)
    file = _file(root, listing)
    found = _recalled(root, file, on_notice)
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
        _keep(file, trace, notices, found)
    return found


def _file(root: Root, listing: Listing) -> Path:
    name = "\0".join((str(root.path), *sorted(listing.hidden), str(listing.with_ignored)))
    return kept_file("walks", name.encode("utf-8", "surrogatepass"))


def _keep(file: Path, trace: Trace, notices: Sequence[Notice], found: Sequence[Found]) -> None:
    kept = {
        **trace.kept,
        "notices": [(each.code, each.message, each.path, each.line) for each in notices],
        "files": [each.path for each in found],
        "ignored": [place for place, each in enumerate(found) if each.ignored],
        "real": {each.path: each.real for each in found if each.real != each.path},
    }
    with suppress(ValueError):
        write_kept(file, json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode())


def _recalled(root: Root, file: Path, on_notice: OnNotice) -> list[Found] | None:
    """What the last walk found, as it is now; None if another walk could find something else."""
    kept = read_kept(file)
    if kept is None:
        return None
    try:
        known = json.loads(kept.data)
        found = _looked_at(str(root.path), known) if Trace.of(known).holds() else None
        notices = [Notice(*each) for each in known["notices"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    for notice in notices if found is not None else ():
        on_notice(notice)
    return found


def _looked_at(top: str, known: Mapping[str, Any]) -> list[Found] | None:
    """The files with their versions; None if one is not a regular file any more. Raises OSError if one is gone."""
    ignored, real, found = set(known["ignored"]), known["real"], []
    look, is_file = os.stat, stat.S_ISREG
    for place, path in enumerate(map(intern, known["files"])):
        status = look(f"{top}/{path}")
        if not is_file(status.st_mode):
            return None
        found.append(Found(path, real.get(path, path), Stamp.of(status), place in ignored))
    return found
