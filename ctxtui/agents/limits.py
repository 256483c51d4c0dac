"""Sizes in the units of a limit, and the offset at which a limit cuts a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ctxtui.agents.files import Files
from ctxtui.agents.frontmatter import find_block
from ctxtui.agents.globs import below_head
from ctxtui.agents.types import Limit, Row
from ctxtui.core.text.decode import line_starts

Count = Callable[[str], int]


def as_set(limit: Limit, files: Files) -> Limit:
    """A limit with the number that the project's configuration sets."""
    value = files.value(limit.set_in) if limit.set_in else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return replace(limit, max=value)
    return limit


def size_of(text: str, unit: str, count: Count | None = None) -> int | None:
    """The size of a text in bytes of UTF-8, characters, lines, or tokens if a counter is given."""
    if unit == "bytes":
        return len(text) if text.isascii() else len(_encode(text))
    if unit == "chars":
        return len(text)
    if unit == "lines":
        starts = line_starts(text)
        return len(starts) - (starts[-1] == len(text))
    return count(text) if unit == "tokens" and count else None


def measured(limit: Limit, row: Row, path: str, files: Files, count: Count | None = None) -> int | None:
    """The limited size in the limit's unit: the `file`, its `body`, its `depth`, or keys of its frontmatter.

    None if this one file does not determine it.
    """
    if limit.of == "depth":
        return below_head(row.files, path).count("/")
    if limit.of in ("file", "body"):
        part = partial(_size_of_part, of=limit.of, unit=limit.unit, count=count)
        return files.size(path, f"{limit.unit} of its {limit.of}", part)
    if not files.is_readable(path):
        return None
    keys = limit.of.split("+")
    meta = files.meta(path, row) or {}
    values = [meta[key] for key in keys if key in meta]
    if limit.unit != "chars" or not values:
        return None
    return sum(len(value) if isinstance(value, str) else sum(map(len, value)) for value in values)


def _size_of_part(text: str, of: str, unit: str, count: Count | None) -> int | None:
    block = find_block(text) if of == "body" else None
    return size_of(text[block.body :] if block else text, unit, count)


def cut_at(text: str, limit: Limit) -> int:
    """The offset in characters at which a limit cuts a text, or the text's length."""
    if limit.then not in ("cut", "cut_line"):
        return len(text)
    offset = min(_offset(text, limit), len(text))
    if limit.then == "cut_line" and offset < len(text):
        return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1 or offset
    return offset


def bytes_within(text: str, room: int) -> int:
    """The number of whole characters from the start that fit into `room` bytes of UTF-8."""
    if text.isascii():
        return min(len(text), room)
    return len(_encode(text)[:room].decode("utf-8", "ignore"))


def _offset(text: str, limit: Limit) -> int:
    if limit.unit == "bytes":
        return bytes_within(text, limit.max)
    if limit.unit == "lines":
        starts = line_starts(text)
        return starts[limit.max] if limit.max < len(starts) else len(text)
    return limit.max if limit.unit == "chars" else len(text)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")
