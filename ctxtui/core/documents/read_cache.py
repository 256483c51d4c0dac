"""The reads of a project's files while it is opened. Sources look at a file in turn, so the last one is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Content
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found

SMALL: Final = 64 * 1024
"""The most bytes of a file that is read whole at once. Of a larger file, only the head is read."""

RawBeginning = tuple[bytes, bool]
"""The first bytes of a file with all of its frontmatter, and whether they are the whole file."""


class ReadCache:
    """Reads files below a root and keeps the last one. Only its content, if wanted after its head, is read again."""

    def __init__(self, root: Root, files: Iterable[Found] = ()) -> None:
        self.root = root
        self._reals = {file.path: file.real for file in files}
        self.unlisted: set[str] = set()
        """The paths outside the list of files that were requested, readable or not."""
        self._last: tuple[str, Content | RawBeginning] | None = None

    def beginning(self, path: str) -> RawBeginning | None:
        """The beginning of a file: 4 KiB or more, with all of the frontmatter. None if the file is unreadable."""
        from ctxtui.core.text.metadata.head import head_of  # noqa: PLC0415 - what is known is opened without a look

        seen = self._content_or_beginning(path)
        return head_of(seen.data) if isinstance(seen, Content) else seen

    def first_bytes(self, path: str, size: int) -> bytes | None:
        """The first `size` bytes of a file, for sizes up to 4 KiB. None if the file is unreadable."""
        seen = self._content_or_beginning(path)
        return None if seen is None else (seen.data if isinstance(seen, Content) else seen[0])[:size]

    def content(self, path: str) -> Content:
        """The whole content. Raises ContextError as `Root.read` does."""
        path = self._real_path(path)
        seen = self._if_last(path)
        if not isinstance(seen, Content):
            seen = self.root.read(path)
            self._last = path, seen
        return seen

    def _real_path(self, path: str) -> str:
        if path not in self._reals:
            self.unlisted.add(path)
        return self._reals.get(path, path)

    def _if_last(self, path: str) -> Content | RawBeginning | None:
        return self._last[1] if self._last is not None and self._last[0] == path else None

    def _content_or_beginning(self, path: str) -> Content | RawBeginning | None:
        """The whole file if it is small or was wanted, else its beginning. None if it is unreadable."""
        from ctxtui.core.text.metadata.head import read_head  # noqa: PLC0415 - as above

        path = self._real_path(path)
        seen = self._if_last(path)
        if seen is None:
            try:
                seen = self.root.read_or(path, SMALL, lambda file: read_head(partial(os.read, file)))
            except (OSError, ContextError):
                return None
            self._last = path, seen
        return seen
