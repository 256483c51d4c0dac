"""The optional cache of the loader specification: parsed files by path and time, summaries by a combined hash."""

from __future__ import annotations

from collections.abc import Callable

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.lru import Memo
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.loader.assembly import Assembled
from ctxtui.loader.read import LoadedFile

_FILE_CHARACTERS = 32 * 1024 * 1024
_SUMMARY_CHARACTERS = 8 * 1024 * 1024


class ContextCache:
    """Keeps parsed files and summaries between loads (loader specification 8). Thread-safe.

    A file is read again if its time or size changed or the time is very recent, and parsed again if its bytes
    changed. Its problems are reported at each load.
    """

    def __init__(self) -> None:
        self._files: Memo[tuple[str, bytes, TokenCounter], LoadedFile] = Memo(_FILE_CHARACTERS, _weight)
        self._stamped: Memo[tuple[str, Stamp, TokenCounter], LoadedFile] = Memo(_FILE_CHARACTERS, _weight)
        self._summaries: Memo[bytes, Assembled] = Memo(_SUMMARY_CHARACTERS, lambda each: len(each.summary) + 512)

    def file(
        self,
        path: str,
        stamp: Stamp,
        counter: TokenCounter,
        read: Callable[[], Content],
        make: Callable[[Content], LoadedFile],
    ) -> LoadedFile:
        """A file as it is on disk. `read` and `make` run if this version is not cached."""

        def fresh() -> LoadedFile:
            content = read()
            return self._files.get((path, digest_of(content.data), counter), lambda: make(content))

        if stamp.is_young():
            return fresh()
        return self._stamped.get((path, stamp, counter), fresh)

    def summary(self, key: bytes, make: Callable[[], Assembled]) -> Assembled:
        """The summary for a combined hash of contents and options."""
        return self._summaries.get(key, make)


def _weight(loaded: LoadedFile) -> int:
    return 2 * len(loaded.file.content) + 1024
