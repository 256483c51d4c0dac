"""Names in several lines of the little room that a picture has for them."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.cells import cell_len

from ctxtui.tui.names import fit


@lru_cache(4096)
def wrapped(name: str, room: int, count: int) -> tuple[str, ...]:
    """A name in at most `count` lines of `room` columns, broken behind spaces and signs if possible."""
    lines = [""]
    for word in re.findall(r"(?:\S )*[.]*[^ ._/-]+[ _/-]*|[ ._/-]+", name):
        if cell_len(lines[-1]) + cell_len(word.rstrip()) > room and lines[-1]:
            lines.append("")
        lines[-1] += word
    lines[count - 1 :] = filter(None, ["".join(lines[count - 1 :])])
    return tuple(fit(line.rstrip(), room) for line in lines)
