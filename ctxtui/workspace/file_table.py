"""The files that a walk found as bytes: paths and versions in columns."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from sys import intern
from typing import Final

from ctxtui.core.files.content import Stamp
from ctxtui.core.files.walk import Found

_NUMBERS: Final = 4


def packed(found: Sequence[Found]) -> bytes:
    """Files as bytes: how many, four numbers for each, and their paths."""
    numbers = array("q", chain.from_iterable((*file.stamp, file.ignored) for file in found))
    names = "\0".join(file.path for file in found).encode("utf-8", "surrogatepass")
    return b"%d\n%s%s" % (len(found), numbers.tobytes(), names)


def unpacked(data: bytes) -> list[Found]:
    """The files of bytes; raises ValueError if they are not such files. Links are as the files that they lead to."""
    count, _, rest = data.partition(b"\n")
    end = int(count) * _NUMBERS * 8
    numbers = array("q", rest[:end])
    paths = rest[end:].decode("utf-8", "surrogatepass").split("\0") if int(count) else []
    stamps = map(Stamp, numbers[::4], numbers[1::4], numbers[2::4])
    rows = zip(map(intern, paths), stamps, map(bool, numbers[3::4]), strict=True)
    return [Found(path, path, stamp, ignored) for path, stamp, ignored in rows]
