"""The files of a record directory, read again only after a change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.records.file import SUFFIX, RecordFile, parse_record
from ctxtui.core.text.decode import decode

_MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class SeenFile:
    """A version of a file, with its parsed content in `parsed`. Until settled, it may change without a new stamp."""

    stamp: Stamp
    is_settled: bool
    parsed: RecordFile


class RecordCache:
    """The files of one directory by name, and the names of the files that claim each id. Not thread-safe.

    `shown` is the directory's name in notices. `notices` collects problems, once per version of a file, `changed` the
    ids whose file appeared, disappeared or changed. `root` is set before every use, because the directory may be
    created or replaced in between.
    """

    def __init__(self, directory: Path, shown: str) -> None:
        self.directory = directory
        self.root = Root(directory)
        self.notices: list[Notice] = []
        self.files: dict[str, SeenFile] = {}
        self.claims: dict[str, set[str]] = {}
        self.changed: set[str] = set()
        self._shown = shown
        self._prefix = os.path.join(directory, "")  # noqa: PTH118 - a text, joined to names ten thousand times
        self._names: set[str] = set()
        self._listed: Stamp | None = None
        self._written: Stamp | None = None
        self._bytes = 0

    def look_for_new(self, beside_ours: bool = False) -> None:
        """Add new files and drop deleted files. Known files are not checked.

        With `beside_ours`, a directory that only this cache changed is not listed again. Raises ContextError if the
        directory cannot be listed. A missing directory is empty.
        """
        try:
            stamp = Stamp.of(self.directory.stat())
            if stamp == self._listed or (beside_ours and stamp == self._written):
                return
            names = set(self.root.listing())
        except FileNotFoundError:
            stamp, names = None, set()
        except PermissionError as error:
            raise ContextError("unauthorized", f"no permission to read {self._shown}") from error
        except OSError as error:
            raise ContextError("unavailable", f"{self._shown} cannot be read: {error.strerror}") from error
        self._listed = stamp if stamp and not stamp.is_young() else None
        self._written = stamp
        gone, added = self._names - names, names - self._names
        self._names = names
        for name in gone:
            self._mark_changed(self._drop(name))
        for name in sorted(name for name in added if name.endswith(SUFFIX) and not name.startswith(".")):
            self.look_at(name)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Mark a change of the directory as our own, if nobody else changed it since the last listing."""
        known = (self._listed, self._written)
        before = self._directory_stamp()
        yield
        self._written = self._directory_stamp() if before in known else None

    def look_at_all(self) -> None:
        """Bring all files up to date: new, changed and deleted ones. Raises as `look_for_new` does."""
        known = list(self.files)
        self.look_for_new()
        for name in known:
            self.look_at(name)

    def look_at(self, name: str) -> SeenFile | None:
        """The current version of a file, read if it is not cached. None if it does not exist."""
        seen = self.files.get(name)
        try:
            status = os.stat(self._prefix + name)  # noqa: PTH116 - a text, for ten thousand files
        except OSError:
            try:
                status = os.lstat(self._prefix + name)
            except OSError:
                self._mark_changed(self._drop(name))
                return None
        if seen is None or not seen.is_settled or seen.stamp != Stamp.of(status):
            seen = self._refresh_file(name, Stamp.of(status), seen)
        return seen

    def owner(self, id_: str, canonical: str) -> str | None:
        """The file name of an id, None without one. Whole records win, then any record, then the name `canonical`."""
        names = self.claims.get(id_)
        if not names:
            return None

        def rank(name: str) -> tuple[bool, bool, bool, str]:
            parsed = self.files[name].parsed
            return not parsed.is_whole, parsed.record is None, name != canonical, name

        return min(names, key=rank)

    def shown_path(self, name: str) -> str:
        return f"{self._shown}/{os.fsencode(name).decode('utf-8', 'replace')}"

    def _directory_stamp(self) -> Stamp | None:
        try:
            return Stamp.of(self.directory.stat())
        except OSError:
            return None

    def _refresh_file(self, name: str, stamp: Stamp, before: SeenFile | None) -> SeenFile | None:
        """Read a file anew, with the `stamp` that was seen and the version before. None if it disappeared.

        Adds its problems to `notices`, and its ids to `changed` if the content differs.
        """
        self._drop(name)
        try:
            stamp, parsed = self._parse(name, self.root.read(name))
            is_settled = not stamp.is_young()
        except ContextError as error:
            if not os.path.lexists(self._prefix + name):
                self._mark_changed(before)
                return None
            notice = Notice("unreadable-file", f"{error.message}; it is left out", self.shown_path(name))
            parsed = RecordFile(notices=(notice,))
            is_settled = error.category != "unavailable" and not stamp.is_young()
        known = before.parsed.notices if before and before.stamp == stamp else ()
        self.notices += [notice for notice in parsed.notices if notice not in known]
        # Keep the same object, so that values derived from a record stay cached.
        is_same = before is not None and before.parsed == parsed
        seen = SeenFile(stamp, is_settled, before.parsed if before and is_same else parsed)
        self._add(name, seen)
        if not is_same:
            self._mark_changed(before)
            self._mark_changed(seen)
        return seen

    def _parse(self, name: str, content: Content) -> tuple[Stamp, RecordFile]:
        """The stamp and the parsed content of a file.

        Raises ContextError if it is binary, or beyond the memory for all files.
        """
        if self._bytes + content.stamp.size > _MAX_BYTES:
            raise invalid(f"skipped: entries already use the {_MAX_BYTES >> 20} MB limit")
        place = self.shown_path(name)
        text, damage = decode(content.data, place)
        parsed = parse_record(text, place, _modified(content.stamp))
        return content.stamp, replace(parsed, notices=(damage, *parsed.notices)) if damage else parsed

    def _add(self, name: str, seen: SeenFile) -> None:
        self._names.add(name)
        self.files[name] = seen
        self._bytes += _weight(seen)
        if seen.parsed.id is not None:
            self.claims.setdefault(seen.parsed.id, set()).add(name)

    def _drop(self, name: str) -> SeenFile | None:
        # Forget the name as well: a file that returns before the next listing is new.
        self._names.discard(name)
        seen = self.files.pop(name, None)
        if seen:
            self._bytes -= _weight(seen)
        if seen and seen.parsed.id is not None:
            names = self.claims[seen.parsed.id]
            names.discard(name)
            if not names:
                del self.claims[seen.parsed.id]
        return seen

    def _mark_changed(self, seen: SeenFile | None) -> None:
        if seen and seen.parsed.id is not None:
            self.changed.add(seen.parsed.id)


def _modified(stamp: Stamp) -> datetime | None:
    """The mtime in seconds, or None if it is out of range."""
    try:
        return datetime.fromtimestamp(stamp.mtime_ns // 1_000_000_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _weight(seen: SeenFile) -> int:
    return seen.stamp.size if seen.parsed.record else 0
