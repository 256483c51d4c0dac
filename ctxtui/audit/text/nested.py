"""Nested fences in document templates, where Markdown closes the outer fence at the first inner end."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")


def in_nested_fences(lines: Sequence[str]) -> frozenset[int]:
    """The lines, from 1, inside fences if fences nest: a fence with a language opens, a bare fence closes.

    Empty without nested fences, or if they do not balance.
    """
    stack: list[str] = []
    inside: set[int] = set()
    is_nested = False
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            mark, language = fence[1], fence[2].strip()
            if stack and not language and mark.startswith(stack[-1]):
                stack.pop()
            else:
                is_nested |= bool(stack and language)
                stack.append(mark)
        elif stack:
            inside.add(number)
    return frozenset(inside) if is_nested and not stack else frozenset()
