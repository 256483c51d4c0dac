"""Shrinking: the smallest input that still crashes in the same way."""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.fuzz.door import Input

Items = TypeVar("Items", str, bytes, list)  # type: ignore[type-arg]


def shrunk(given: Input, crashes: Callable[[Input], bool], seconds: float = 5.0) -> Input:
    """The input without what it does not need to crash: files first, then lines, then characters.

    It takes at most so many `seconds` of processor time, and twelve times as long by the clock.
    """
    end, bell = time.process_time() + seconds, time.monotonic() + 12 * seconds

    def still(tried: Input) -> bool:
        return time.process_time() < end and time.monotonic() < bell and crashes(tried)

    if isinstance(given, str):
        return _text(given, still)
    names = _without(list(given), lambda kept: still({name: given[name] for name in kept}))
    files = {name: given[name] for name in names}
    for name, content in files.items():
        if isinstance(content, bytes):

            def with_text(text: str, name: str = name) -> bool:
                return still({**files, name: text.encode("latin-1")})

            files[name] = _text(content.decode("latin-1"), with_text).encode("latin-1")
    return files


def _text(text: str, still: Callable[[str], bool]) -> str:
    lines = _without(text.splitlines(keepends=True), lambda kept: still("".join(kept)))
    return _without("".join(lines), still)


def _without(items: Items, still: Callable[[Items], bool]) -> Items:
    """The items without the stretches that are not needed, long ones tried first."""
    size = len(items)
    while size:
        start = 0
        while start < len(items):
            rest = items[:start] + items[start + size :]
            if still(rest):
                items = rest
            else:
                start += size
        size //= 2
    return items
