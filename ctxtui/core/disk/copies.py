"""The cached copies of remote projects: their places, their records, their removal."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.base.errors import invalid
from ctxtui.core.disk.open_at import opened_folder
from ctxtui.core.disk.own_folders import own_cache, private_folder
from ctxtui.core.disk.write import exchange_names

DAYS: Final = 30
"""A copy is removed this many days after its last use."""
MOST_BYTES: Final = 4 * 1024**3
"""The most bytes of all copies. Above, those unused for longest are removed."""
_RECORD: Final = "copy.json"
_BEING_MADE: Final = "new-"
# After these hours, a copy in progress counts as abandoned.
_HOURS: Final = 6
_FILES: Final = "files"
_FIELDS: Final = {"name": str, "shown": str, "commit": str, "fetched": int, "size": int}


class Copy(NamedTuple):
    """A copy of a remote project: its folder, its name as shown, its commit.

    `fetched` is in seconds since 1970, `size` in bytes. `left_out` names the files that were not written, with
    reasons.
    """

    root: Path
    shown: str
    commit: str
    fetched: int
    size: int
    left_out: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        """Its name, commit and day in words: `host/owner/repo at commit 0123456789, fetched on 2026-01-31`."""
        day = time.strftime("%Y-%m-%d", time.localtime(self.fetched))
        return f"{self.shown} at commit {self.commit[:10]}, fetched on {day}"


def copies_folder() -> Path:
    """The folder of all copies, links resolved. It need not exist."""
    return Path(os.path.realpath(own_cache() / "remote"))


def copy_at(place: Path) -> Copy | None:
    """The copy in a folder, or None if it is missing, damaged or half removed."""
    try:
        record = json.loads((place / _RECORD).read_bytes())
        if any(type(record[key]) is not kind for key, kind in _FIELDS.items()):
            return None
        left_out = tuple(str(each) for each in record["left_out"])
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return None
    root = place / _FILES / record["name"]
    if root.parent != place / _FILES or not root.is_dir():
        return None
    return Copy(root, record["shown"], record["commit"], record["fetched"], record["size"], left_out)


def copy_around(path: Path) -> Copy | None:
    """The copy that contains a resolved path, or None."""
    folder = copies_folder()
    if path == folder or not path.is_relative_to(folder):
        return None
    return copy_at(folder / path.relative_to(folder).parts[0])


def copied_root(folder: str | os.PathLike[str]) -> tuple[Path, str] | None:
    """The root of the copy that contains a folder, and the folder's path below it ("" for itself), or None."""
    start = Path(os.path.realpath(folder))
    copy = copy_around(start)
    if copy is None or not start.is_relative_to(copy.root):
        return None
    return copy.root, "/".join(start.relative_to(copy.root).parts)


def refuse_copy(path: Path) -> None:
    """Raise ContextError (invalid_request) if a resolved path is in a copy: copies are read-only."""
    copy = copy_around(path)
    if copy is not None:
        hint = "clone the project to change it"
        raise invalid(f"this is a fetched copy of {copy.shown}; it is read only", hint=hint)


def write_record(place: Path, copy: Copy) -> None:
    """Write the record of a new copy, by which `copy_at` finds it. Raises OSError."""
    record = {"name": copy.root.name, **copy._asdict(), "root": None}
    (place / _RECORD).write_text(json.dumps(record), "utf-8")


def mark_used(place: Path) -> None:
    """Begin the days until removal anew, if the record can be touched."""
    with suppress(OSError):
        os.utime(place / _RECORD)


def new_copy_folder() -> Path:
    """Create a folder beside the copies, for a copy in progress. Raises OSError."""
    from tempfile import mkdtemp  # noqa: PLC0415 - only if something is fetched

    return Path(mkdtemp(prefix=_BEING_MADE, dir=private_folder(copies_folder())))


def make_files_folder(made: Path, name: str) -> Path:
    """Create and return the folder `name` for the files of the new copy in `made`. Raises OSError."""
    folder = made / _FILES / name
    folder.mkdir(parents=True)
    return folder


def put_in_place(made: Path, place: Path) -> None:
    """Move a finished copy into place, replacing an older copy, but not that of a faster process. Raises OSError."""
    with opened_folder(place.parent) as folder:
        # At once, since others may open the old copy meanwhile.
        if exchange_names(folder, made.name, place.name):
            remove_tree(made)
            return
    old = made.with_name(f"{made.name}-old")
    with suppress(FileNotFoundError):
        place.rename(old)
    try:
        made.rename(place)
    except OSError:
        # Another process was faster, with an equal copy.
        if copy_at(place) is None:
            raise
        remove_tree(made)
    remove_tree(old)


def remove_tree(folder: Path) -> None:
    """Remove a folder and its content as far as possible, without following links."""
    import shutil  # noqa: PLC0415 - this module is imported by all that writes, and little is removed

    shutil.rmtree(folder, ignore_errors=True)


def prune(keep: Path) -> None:
    """Remove copies unused for 30 days, those unused for longest above 4 GB, and abandoned ones, but never `keep`."""
    now, room, last_uses = time.time(), MOST_BYTES, list[tuple[float, Path]]()
    with suppress(OSError):
        for place in copies_folder().iterdir():
            with suppress(OSError):
                record = place / _RECORD
                last_uses.append(((record if record.exists() else place).stat().st_mtime, place))
    for used, place in sorted(last_uses, reverse=True):
        is_new = place.name.startswith(_BEING_MADE)
        copy = None if is_new else copy_at(place)
        room -= copy.size if copy else 0
        is_old = now - used > (_HOURS * 3600 if is_new else DAYS * 86_400)
        if place != keep and (is_old or (room < 0 and not is_new)):
            remove_tree(place)
