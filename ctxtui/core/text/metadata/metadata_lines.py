"""Finds the end of unclosed frontmatter: which lines look like metadata and which like text."""

from __future__ import annotations

import re
from collections.abc import Iterator

PAIR = re.compile(r"([A-Za-z][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_MANGLED = re.compile(r"[ \t]*#{1,6}[ \t]+([A-Za-z][\w-]*):[ \t]*(\[.*\]|\S.*)")
_MANGLED_KEYS = frozenset(
    {"tags", "crossDomainTriggers", "detectionTriggers", "sections", "description", "name", "globs", "paths"}
)
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_ITEM = re.compile(r"-(?:[ \t]|$)")
# Characters that no YAML line begins with, or only after a key that expects a list.
_FENCE_OR_TABLE = re.compile(r"```|~~~|\|")
_TASK = re.compile(r"[-*+][ \t]+\[[ xX]?\](?:[ \t]|$)")


def mangled(line: str) -> tuple[str, str] | None:
    """The key and the value of a line that a Markdown formatter turned into a heading."""
    match = _MANGLED.fullmatch(line)
    return (match[1], match[2]) if match and match[1] in _MANGLED_KEYS else None


def is_mangled(text: str, position: int) -> re.Match[str] | None:
    """The key and the list at an offset of a text, if a Markdown formatter turned their line into a heading."""
    match = _MANGLED.match(text, position)
    return match if match and match[1] in _MANGLED_KEYS and match[2].rstrip().endswith("]") else None


def metadata_end(raw: str, is_broken: bool) -> int | None:
    """The offset after the last line of metadata if text follows it; None if all of it may be metadata.

    YAML that is intact ends early only before a heading with blank lines around it, which YAML reads as a comment.
    """
    if not is_broken:
        return _before_heading(raw) if "#" in raw else None
    reading = _Reading()
    for start, line in lines(raw):
        if reading.is_text(line):
            return reading.end
        reading.take(line, start + len(line))
    return None


class _Reading:
    """The state after the lines above: whether a value is open, and where the last line of metadata ended."""

    def __init__(self) -> None:
        self.end = 0
        self._after_blank = False
        self._open = False
        self._list = False

    def is_text(self, line: str) -> bool:
        """Whether a line cannot be metadata here."""
        if not line.strip() or mangled(line.rstrip()):
            return False
        if line[0] in " \t":
            return self._after_blank and not self._open
        if PAIR.match(line):
            return False
        if _TASK.match(line):
            return True
        if _ITEM.match(line):
            return self._after_blank and not self._list
        if line[0] == "#":
            return self._after_blank and bool(_HEADING.match(line))
        return self._after_blank or bool(_FENCE_OR_TABLE.match(line))

    def take(self, line: str, end: int) -> None:
        """Remember a line that may be metadata."""
        self._after_blank = not line.strip()
        if self._after_blank or (line[0] == "#" and not mangled(line.rstrip())):
            return
        self.end = end
        self._list = self._list and line[0] not in " \t"
        pair = PAIR.match(line)
        if pair:
            value = (pair[2] or "").strip()
            self._list = not value
            self._open = not value or value[0] in "|>\"'[{&!"


def lines(raw: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with their offsets; they end at line feeds and carriage returns only."""
    position = 0
    while position < len(raw):
        match = _LINE.match(raw, position)
        if match is None:
            return
        yield position, match[1]
        position = match.end()


def _before_heading(raw: str) -> int | None:
    """The end of the part before a last heading that has blank lines on both sides and only comments after it."""
    rest = list(lines(raw))
    if not rest or rest[-1][1].strip():
        return None
    has_heading = False
    while rest and (not rest[-1][1].strip() or rest[-1][1].startswith("#")):
        _, line = rest.pop()
        is_heading = _HEADING.match(line) and not mangled(line.rstrip())
        if is_heading and rest and not rest[-1][1].strip():
            has_heading = True
    if not has_heading:
        return None
    return rest[-1][0] + len(rest[-1][1]) if rest else 0
