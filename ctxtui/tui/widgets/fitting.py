"""Names in the room that a picture has for them: shortened, or in several lines."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.cells import cell_len, set_cell_size


def fit(text: str, room: int) -> str:
    """A harmless text in at most `room` columns: of a path that is too long, the end shows."""
    if cell_len(text) <= room:
        return text
    last = text.rpartition("/")[2]
    if last == text or cell_len(last) + 2 > room:
        return set_cell_size(last, max(0, room - 1)) + "…"[:room]
    while cell_len(text) > room - 1:
        text = text[1:]
    return f"…{text}"


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
