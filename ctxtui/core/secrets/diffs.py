"""Credentials in the text of a diff, whose lines begin with signs."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from ctxtui.core.secrets.guard import find_secrets
from ctxtui.core.secrets.secret import Secret

if TYPE_CHECKING:
    from ctxtui.core.passes import Passes

_LINE: Final = re.compile(r"[^\n]*\n?")


def find_in_diff(text: str, passes: Passes | None = None) -> list[Secret]:
    """The credentials in a diff, found in its new side with all headers and in its old side, without overlaps."""
    from ctxtui.core.secrets.search import merged  # noqa: PLC0415 - few texts are diffs

    lines = _LINE.findall(text)[:-1]
    old = [line[1:] if line[0] in "- " else "" for line in lines]
    new = [line[1:] if line[0] in "+ " else "" if line[0] == "-" else line for line in lines]
    return merged([*_find_in_side(lines, old, passes), *_find_in_side(lines, new, passes)])


def _find_in_side(lines: list[str], side: list[str], passes: Passes | None) -> list[Secret]:
    """The credentials in the text of a side; each of its lines is the end of one of the diff."""
    found = find_secrets("".join(side), passes)
    if not found:
        return found
    starts = list(accumulate(map(len, side), initial=0))
    begins = list(accumulate(map(len, lines), initial=0))

    def back(offset: int) -> int:
        place = bisect_right(starts, offset) - 1
        return begins[place + 1] - len(side[place]) + offset - starts[place]

    return [replace(each, start=back(each.start), end=back(each.end - 1) + 1) for each in found]
