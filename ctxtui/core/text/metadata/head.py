"""The head of a file: its first bytes, and as many more as its frontmatter needs."""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from collections.abc import Callable

from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.text.markdown.light import find_metadata, is_closed

_FIRST = 4096
# Keys that a formatter turned into headings may come after the closing line. A list of blank lines takes much memory.
_MANGLED = re.compile(rb"(?:\s*+#{1,6}[ \t]+[A-Za-z][^\r\n]*+)*+\s*+")
_OPENINGS = (b"---", BOM_UTF8 + b"---")


def read_head(read: Callable[[int], bytes]) -> tuple[bytes, bool]:
    """The beginning of a file, about 4 KiB or all of a longer frontmatter, and whether that is the whole file.

    `read` returns at most the given number of further bytes. The last character may be cut in two.
    """
    data = read(_FIRST)
    is_whole = len(data) < _FIRST
    while not is_whole and len(data) < MAX_BYTES and _goes_on(data):
        more = read(len(data))
        is_whole = not more
        data += more
    return data, is_whole


def head_of(data: bytes) -> tuple[bytes, bool]:
    """`read_head` for bytes in memory."""
    return (data, True) if len(data) < _FIRST else read_head(io.BytesIO(data).read)


def whole_characters(data: bytes) -> bytes:
    """The data, in UTF-8, without a partial character at the end."""
    for length in range(1, min(4, len(data)) + 1):
        byte = data[-length]
        if byte >= 0xC0:
            return data[:-length]
        if byte < 0x80:
            break
    return data


def _goes_on(data: bytes) -> bool:
    """Whether frontmatter may continue beyond the data."""
    # Most files have none.
    if not data.startswith(_OPENINGS):
        return False
    # One character per byte in any encoding.
    text = data.decode("latin-1")
    metadata = find_metadata(text, len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0)
    if metadata is None or b"\0" in data:
        return False
    if not is_closed(text, metadata):
        return True
    # Further keys may follow while every whole line is such a heading. The last line may be unfinished.
    below = _MANGLED.sub(b"", data[metadata.after :], count=1)
    return b"\n" not in below and b"\r" not in below
