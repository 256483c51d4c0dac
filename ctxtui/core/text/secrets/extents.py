"""Where a value begins and ends: in quotes, or bare up to the end of its word, cell or statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_VALUE: Final = re.compile(
    r"""\\{0,2}(?:"(?P<double>[^"\r\n]{4,400}+)"|'(?P<single>[^'\r\n]{4,400}+)'|`(?P<tick>[^`\r\n]{4,400}+)`)
    |(?P<bare>[^\s"'`<>|;&,]{4,400}+)""",
    re.VERBOSE,
)
_ELEMENT: Final = re.compile(r"(?P<bare>[^<>\s]{4,400}+)(?=</)")
# The text that may follow a value at the end of its line, cell or statement.
_LAST: Final = re.compile(
    r"""[.!?]?[)\]}]{0,3}["'`]?[ \t]{0,20}(?:[\r\n|,;&}\])<#]|//|--|\\|\(|\Z)|[.!?][ \t]|["'`]"""
)
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its offsets and text, and whether its statement ends after it."""

    start: int
    end: int
    text: str
    is_last: bool


def value_at(text: str, start: int, in_element: bool = False) -> Value | None:
    """The value that begins there; at least 4 characters and at most 400."""
    match = (_ELEMENT if in_element else _VALUE).match(text, start)
    if match is None:
        return None
    group = match.lastgroup or "bare"
    first, end = match.span(group)
    if group != "bare":
        return Value(first, end, text[first:end].rstrip("\\"), True)
    while end > first and (text[end - 1] in ".:" or (text[end - 1] in _CLOSERS and _is_loose(text, first, end))):
        end -= 1
    if text.startswith(("...", "…"), end):
        return None
    return Value(first, end, text[first:end], in_element or bool(_LAST.match(text, end)))


def _is_loose(text: str, first: int, end: int) -> bool:
    """Whether a closing bracket at the end has no opening one in the value."""
    return text.count(_CLOSERS[text[end - 1]], first, end) < text.count(text[end - 1], first, end)
