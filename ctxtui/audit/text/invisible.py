"""Characters that models read and people do not see: zero-width marks, direction controls, tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

TAGS, DIRECTION, ZERO_WIDTH = "tag character", "direction control", "zero-width character"

_HIDDEN = re.compile("[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
# Regional flags are a black flag, tag letters, and an end tag.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{1,12}\U000e007f")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# A line about such characters may contain a few.
_NAMED = re.compile(r"zero[- ]width|U\+20|\\u20|\\ufeff", re.IGNORECASE)
_MOST_SHOWN = 3
_JOINERS = "\u200c\u200d"
_OVERRIDES = "\u202d\u202e"
_LAST_LATIN = "\u058f"
_FIRST_UNSPACED = "\u0e00"


@dataclass(frozen=True, slots=True)
class Hidden:
    """Invisible characters of one kind in a line, from 1: their number, and names such as `U+200B`."""

    kind: str
    line: int
    count: int
    codes: tuple[str, ...] = ()


def has_hidden(text: str) -> bool:
    """Whether a text contains an invisible character, needed or not."""
    return not text.isascii() and _HIDDEN.search(text) is not None


def find_hidden(lines: Sequence[str]) -> tuple[Hidden, ...]:
    """The invisible characters, by line and kind, that no script, emoji or code needs.

    A line about zero-width characters may have up to three of them.
    """
    found = []
    for number, line in enumerate(lines, 1):
        if has_hidden(line):
            needless = list(_needless(line))
            by_kind: dict[str, list[str]] = {}
            for char in needless:
                by_kind.setdefault(_kind(char), []).append(f"U+{ord(char):04X}")
            if len(needless) <= _MOST_SHOWN and by_kind.keys() == {ZERO_WIDTH} and _NAMED.search(line):
                continue
            for kind, codes in by_kind.items():
                found.append(Hidden(kind, number, len(codes), tuple(dict.fromkeys(codes))))
    return tuple(found)


def without_hidden(text: str) -> str:
    return _HIDDEN.sub("", text)


def visible_prefix(line: str) -> str:
    """The text of a line before its first invisible character."""
    found = _HIDDEN.search(line)
    return line[: found.start()] if found else line


def _needless(line: str) -> Iterator[str]:
    """The invisible characters of a line that nothing needs. Those of regional flags are needed."""
    without_flags = _FLAG.sub("\U0001f3f4", line)
    is_mixed = _RIGHT_TO_LEFT.search(without_flags) is not None
    for match in _HIDDEN.finditer(without_flags):
        before = without_flags[match.start() - 1 : match.start()]
        after = without_flags[match.end() : match.end() + 1]
        kind = _kind(match[0])
        if kind == TAGS or match[0] in _OVERRIDES or not _is_needed(match[0], kind, before, after, is_mixed):
            yield match[0]


def _kind(char: str) -> str:
    if char >= "\U000e0000":
        return TAGS
    is_zero_width = char in "\u180e\ufeff" or "\u200b" <= char <= "\u200d" or "\u2060" <= char <= "\u2064"
    return ZERO_WIDTH if is_zero_width else DIRECTION


def _is_needed(char: str, kind: str, before: str, after: str, is_mixed: bool) -> bool:
    """Whether a script, an emoji or code needs the character. With `is_mixed`, the line has right-to-left text."""
    if "`" in (before, after):
        # The character keeps an inner fence from closing the outer fence.
        return True
    if before == after and before in ("'", '"'):
        # Code that looks for the character.
        return True
    if kind == DIRECTION:
        return is_mixed
    if char in _JOINERS:
        return before > _LAST_LATIN
    return char == "\u200b" and before >= _FIRST_UNSPACED and after >= _FIRST_UNSPACED
