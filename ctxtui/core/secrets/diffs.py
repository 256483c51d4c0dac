"""Credentials in the text of a diff, whose lines begin with signs."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import Final

from ctxtui.core.secrets.guard import find_secrets, merged
from ctxtui.core.secrets.shapes import Secret

_LINE: Final = re.compile(r"[^\n]*\n?")


def find_in_diff(text: str) -> list[Secret]:
    """The credentials in a diff as written, and in its old and its new side, in order and without overlaps."""
    return merged([*find_secrets(text), *_find_in_side(text, " -"), *_find_in_side(text, " +")])


def _find_in_side(text: str, signs: str) -> list[Secret]:
    """The credentials in the lines with some signs, which are without them the text of the file."""
    lines = [(match.start() + 1, match.end()) for match in _LINE.finditer(text) if match[0][:1] in signs and match[0]]
    starts = [0, *accumulate(end - start for start, end in lines)]

    def back(offset: int) -> int:
        place = bisect_right(starts, offset) - 1
        return lines[place][0] + offset - starts[place]

    found = find_secrets("".join(text[start:end] for start, end in lines))
    return [replace(each, start=back(each.start), end=back(each.end - 1) + 1) for each in found]
