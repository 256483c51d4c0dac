"""Values between processes of this package: marshalled by the same Python, each after a line with its length."""

from __future__ import annotations

import marshal
from typing import IO, Any, Final

# Bytes of a value: more than the texts of a batch can lead to.
_MOST: Final = 1 << 30


def write(out: IO[bytes], value: Any) -> None:
    """Write a value of plain data; raises ValueError for any other, OSError if nobody reads it."""
    data = marshal.dumps(value)
    out.write(b"%d\n%b" % (len(data), data))
    out.flush()


def read(source: IO[bytes]) -> Any:
    """The next value; raises EOFError, ValueError or TypeError if there is none."""
    length = int(source.readline())
    if not 0 < length <= _MOST:
        raise ValueError("the length makes no sense")
    data = source.read(length)
    if len(data) != length:
        raise EOFError("the value is incomplete")
    return marshal.loads(data)  # noqa: S302 - from our own process
