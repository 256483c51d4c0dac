"""The head of a file: its first bytes, and as many more as its frontmatter needs."""

from __future__ import annotations

import re
from collections.abc import Callable

from ctxtui.core.files.root import MAX_BYTES

_FIRST = 4096
_OPENINGS = (b"---", b"\xef\xbb\xbf---")
_CLOSING = re.compile(rb"[\r\n](?:---|\.\.\.)[ \t]*[\r\n]")
# A key that a formatter turned into a heading may come after the closing line.
_MANGLED = re.compile(rb"[ \t]*#{1,6}[ \t]+[A-Za-z]")


def read_head(read: Callable[[int], bytes]) -> tuple[bytes, bool]:
    """At least about 4 KiB, and all of the frontmatter, however long; also whether that is the whole file.

    `read` returns at most that many further bytes of the file. A character at the end may be cut in two.
    """
    data = read(_FIRST)
    is_whole = len(data) < _FIRST
    while not is_whole and len(data) < MAX_BYTES and _goes_on(data):
        more = read(len(data))
        is_whole = not more
        data += more
    return data, is_whole


def whole_characters(data: bytes) -> bytes:
    """The data without a character that a bounded read cut in two."""
    for length in range(1, min(4, len(data)) + 1):
        byte = data[-length]
        if byte >= 0xC0:
            return data[:-length]
        if byte < 0x80:
            break
    return data


def _goes_on(data: bytes) -> bool:
    """Whether frontmatter may reach beyond the data."""
    if not data.startswith(_OPENINGS) or b"\0" in data:
        return False
    closing = _CLOSING.search(data)
    if closing is None:
        return True
    whole_lines = (line for line in data[closing.end() :].splitlines(keepends=True) if line.endswith((b"\n", b"\r")))
    return all(_MANGLED.match(line) for line in whole_lines if line.strip())
