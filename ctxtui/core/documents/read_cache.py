"""A bounded cache of file contents between opening a project and counting it, so that each file is opened once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found

SMALL: Final = 64 * 1024
"""The most bytes of a file that is read whole at once. Of a larger file, only the head is read."""
_ROOM: Final = 8 * 1024 * 1024
# The memory of a cache entry besides the bytes of its file.
_LEAST: Final = 200

Beginning = tuple[bytes, bool]
"""The first bytes of a file with all of its frontmatter, and whether they are the whole file."""

_Seen = TypeVar("_Seen", bound=Content | Beginning)


class ReadCache:
    """The contents of files below a root, each read once as long as there is room. Thread-safe.

    Holds about 8 MB. The contents belong to one scan and the count after it, then `forget`. A file larger than
    `SMALL` is read again if its content is needed after its head.
    """

    def __init__(self, root: Root, files: Iterable[Found] = (), room: int = _ROOM) -> None:
        self.root = root
        listed = list(files)
        self._listed = {file.path for file in listed}
        self._reals = {file.path: file.real for file in listed if file.real != file.path}
        self.unlisted: set[str] = set()
        """The paths outside the list of files that were requested, readable or not."""
        self._cached: dict[str, Content | Beginning] = {}
        self._young: set[str] = set()
        # The last file of `in_turn`, for which there may be no room.
        self._last: tuple[str, Content | Beginning] | None = None
        self._keeps_last = False
        self._room = room
        self._lock = threading.Lock()

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """Cache the last file even without room."""
        self._keeps_last = True
        try:
            yield
        finally:
            self._keeps_last, self._last = False, None

    def beginning(self, path: str) -> Beginning | None:
        """At least 4 KiB, and all of the frontmatter. None if the file is unreadable."""
        from ctxtui.core.text.metadata.head import head_of  # noqa: PLC0415 - as in `_look`

        seen = self._seen(path)
        return head_of(seen.data) if isinstance(seen, Content) else seen

    def first(self, path: str, size: int) -> bytes | None:
        """The first bytes, at most 4 KiB, or None if the file is unreadable."""
        seen = self._seen(path)
        return None if seen is None else (seen.data if isinstance(seen, Content) else seen[0])[:size]

    def content(self, path: str) -> Content:
        """The whole content. Raises ContextError as `Root.read` does."""
        self._note(path)
        path = self._reals.get(path, path)
        seen = self._known(path)
        if isinstance(seen, Content):
            return seen
        return self._keep(path, self.root.read(path))

    def take(self, path: str, stamp: Stamp) -> Content:
        """Take the content out of the cache, or read it if its version is another. Raises as `content` does."""
        path = self._reals.get(path, path)
        with self._lock:
            seen = self._cached.pop(path, None)
            self._room += _weight(seen)
        is_same = isinstance(seen, Content) and seen.stamp == stamp and path not in self._young
        return seen if isinstance(seen, Content) and is_same else self.root.read(path)

    def forget(self) -> None:
        """Drop all contents. From now on, files are read each time."""
        with self._lock:
            self._cached, self._room, self._last = {}, 0, None
            self._young.clear()

    def _note(self, path: str) -> None:
        if path not in self._listed:
            self.unlisted.add(path)

    def _seen(self, path: str) -> Content | Beginning | None:
        self._note(path)
        path = self._reals.get(path, path)
        return self._known(path) or self._look(path)

    def _known(self, path: str) -> Content | Beginning | None:
        last = self._last
        return last[1] if last is not None and last[0] == path else self._cached.get(path)

    def _look(self, path: str) -> Content | Beginning | None:
        from ctxtui.core.text.metadata.head import read_head  # noqa: PLC0415 - what is known is opened without a look

        try:
            return self._keep(path, self.root.read_or(path, SMALL, lambda file: read_head(partial(os.read, file))))
        except (OSError, ContextError):
            return None

    def _keep(self, path: str, seen: _Seen) -> _Seen:
        with self._lock:
            room = self._room + _weight(self._cached.get(path)) - _weight(seen)
            if room >= 0:
                self._cached[path], self._room = seen, room
                if isinstance(seen, Content) and seen.stamp.is_young():
                    self._young.add(path)
            if self._keeps_last:
                self._last = path, seen
        return seen


def _weight(seen: Content | Beginning | None) -> int:
    if seen is None:
        return 0
    return _LEAST + len(seen.data if isinstance(seen, Content) else seen[0])
