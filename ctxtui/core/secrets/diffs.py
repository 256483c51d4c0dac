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
    """The credentials in a diff, found in its new side with all headers and in its old side, without overlaps."""
    return merged([*_find_in_side(text, "-"), *_find_in_side(text, "+", with_headers=True)])


def _find_in_side(text: str, sign: str, with_headers: bool = False) -> list[Secret]:
    """The credentials in the lines with a sign and those around them, without signs: in the text of the file."""
    lines = [
        (match.start() + is_content, match.end())
        for match in _LINE.finditer(text)
        if (is_content := match[0][:1] in (sign, " ")) or (with_headers and match[0][:1] not in "-+")
    ]
    starts = [0, *accumulate(end - start for start, end in lines)]

    def back(offset: int) -> int:
        place = bisect_right(starts, offset) - 1
        return lines[place][0] + offset - starts[place]

    found = find_secrets("".join(text[start:end] for start, end in lines))
    return [replace(each, start=back(each.start), end=back(each.end - 1) + 1) for each in found]
