"""Read the lines of untrusted transcripts, with limits on length and depth."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Final

from ctxtui.core.text.data.bounds import first_problem

MAX_LINE: Final = 16 * 1024 * 1024
"""Longer lines, in bytes, are skipped."""
# The first line often shows that the rest is not needed.
_FIRST, _CHUNK = 64 * 1024, 1024 * 1024


def read_lines(descriptor: int, most: int = MAX_LINE) -> Iterator[bytes | None]:
    """Lines without line ends, None for one longer than `most` bytes, no empty ones. A disk error ends the file."""
    rest: list[bytes] = []
    size = 0
    is_long = False
    amount = _FIRST
    while chunk := _read_chunk(descriptor, amount):
        amount = _CHUNK
        *ended, last = chunk.split(b"\n")
        for line in ended:
            if is_long or size + len(line) > most:
                yield None
            elif rest or line:
                yield b"".join((*rest, line))
            rest, size, is_long = [], 0, False
        size += len(last)
        is_long = is_long or size > most
        rest = [] if is_long else [*rest, last]
    if is_long:
        yield None
    elif size:
        yield b"".join(rest)


def _read_chunk(descriptor: int, amount: int) -> bytes:
    try:
        return os.read(descriptor, amount)
    except OSError:
        return b""


def parse_record(line: bytes) -> dict[str, Any] | None:
    """The JSON object in a line, or None for anything else, deep nesting or huge numbers."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and first_problem(record) is None else None


def a_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def a_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def a_text(value: object) -> str:
    """The value if it is a string, without lone surrogates, else an empty string."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def an_amount(value: object) -> int:
    """The value if it is a plausible number of tokens, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else 0


def texts_in(value: object) -> Iterator[str]:
    """The texts of a message: a string, or an array of strings and blocks with a `text`."""
    if isinstance(value, str):
        yield a_text(value)
    for block in a_list(value):
        text = a_text(block) or a_text(a_dict(block).get("text"))
        if text:
            yield text
