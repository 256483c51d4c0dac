"""How much work may go into the symbols of one file: the same text is given up on every machine."""

from __future__ import annotations

import re
from time import thread_time
from typing import Final

# The parser reports after a fixed number of steps. Real files, broken ones too, take at least 27 bytes a report, most
# of them a hundred.
_BYTES_A_REPORT: Final = 8
_REPORTS_AT_LEAST: Final = 2_000
# The last resort, in seconds of processor time: five times as long as the largest and slowest real file takes.
_SECONDS: Final = 10.0
_REPORTS_A_LOOK: Final = 1_000
# What a parser needs for angle brackets that nothing closes grows with their square: 1 GB for ten thousand. In real
# files at most eighteen are open at a time.
_MOST_OPEN: Final = 1_000
# Comments and strings, closed or not, hold no brackets.
_SIGN: Final = re.compile(
    r"""<{2,}|<=|[=-]>|[<>{}]|//[^\n]*|/\*(?:.*?\*/|.*)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""", re.DOTALL
)


class Effort:
    """What a parser may still do for a text of some bytes."""

    def __init__(self, size: int) -> None:
        self._left = _REPORTS_AT_LEAST + size // _BYTES_A_REPORT
        self._until: float | None = None

    def is_too_much(self, *_: object) -> bool:
        """Whether a parser that reports has to stop."""
        self._left -= 1
        return self._left < 0 or (self._left % _REPORTS_A_LOOK == 0 and self._is_too_long())

    def _is_too_long(self) -> bool:
        now = thread_time()
        # From the first look: most files are parsed before it.
        self._until = self._until or now + _SECONDS
        return now > self._until


def nests_too_deeply(text: str) -> bool:
    """Whether more angle brackets are open at a time than a parser has memory for."""
    if text.count("<") <= _MOST_OPEN:
        return False
    depth, around = 0, list[int]()
    for sign in _SIGN.findall(text):
        if sign == "<":
            depth += 1
            if depth > _MOST_OPEN:
                return True
        elif sign == ">":
            depth = max(0, depth - 1)
        elif sign == "{":
            around.append(depth)
        elif sign == "}":
            depth = around.pop() if around else 0
    return False
