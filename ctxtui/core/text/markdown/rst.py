"""The headings of reStructuredText by docutils' rules: the order of styles gives the levels."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from ctxtui.core.text.markdown.scan import Heading

_TAB: Final = 8
_SHORT: Final = 4
_LONG: Final = 2_000
_VERTICAL: Final = re.compile("[\v\f]")
_RULE: Final = re.compile(r"([!-/:-@\[-`{-~])\1*")
# An item's further lines, like the content of a directive, are indented.
_OPTION: Final = r"(?:[-+][A-Za-z0-9](?:\ ?{argument})?|(?:--|/)[A-Za-z0-9][A-Za-z0-9_-]*(?:[ =]{argument})?)".format(
    argument="(?:[A-Za-z][A-Za-z0-9_-]*|<[^<>]+>)"
)
_ITEM: Final = re.compile(
    rf"(?:[-+*\u2022\u2023\u2043]|:(?![: ])(?:[^:\\]|\\.|:(?![ `]|$))*(?<! ):|\||\.\.|__)(?: |$)"
    rf"|{_OPTION}(?:, {_OPTION})*  +\S"
)
_NUMBERED: Final = re.compile(r"(\(?)([0-9]{1,18}|[A-Za-z]|#)([.)])(?: |$)")
_PROMPT: Final = re.compile(r">>>(?: |$)")
_GRID: Final = re.compile(r"\+-[-+]+-\+")
_COLUMNS: Final = re.compile(r"=+(?: +=+)+")
_BORDER: Final = re.compile(r"=+[ =]*")
_LITERAL: Final = re.compile(r"(?<!\\)(?:\\\\)*::$")
_INLINE: Final = re.compile(
    r"``(.+?)``|(?::[\w.+:-]+:)?`([^`<]+?)(?:\s*<[^<>`]*>)?`_{0,2}|\*\*(\S.*?)\*\*|\*(\S.*?)\*"
)


class Title(NamedTuple):
    """A title, its line and number of lines, and its style: the signs below it, or above and below."""

    text: str
    line: int
    size: int
    style: str


def rst_headings(written: Sequence[str]) -> tuple[Heading, ...]:
    """The headings of a text, given in lines. A heading with an overline begins at the overline."""
    found: list[Heading] = []
    styles: list[str] = []
    level = 0
    for title in _Titles([_VERTICAL.sub(" ", line).expandtabs(_TAB).rstrip() for line in written]).read():
        own = styles.index(title.style) + 1 if title.style in styles else len(styles) + 1
        # A level that skips one is an error, and its title no heading.
        if own > level + 1:
            continue
        level = own
        if own > len(styles):
            styles.append(title.style)
        found.append(Heading(title_name(title.text), own, title.line))
    return tuple(found)


def title_name(written: str) -> str:
    """A title without roles, targets and emphasis."""
    name = " ".join(written.split())
    shown = name if len(name) > _LONG else _INLINE.sub(lambda match: match[match.lastindex or 0], name)
    return shown.strip() or name


class _Titles:
    """Reads titles in lines without trailing white space."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def read(self) -> list[Title]:
        """The titles outside paragraphs, tables and indented text."""
        found: list[Title] = []
        place = 0
        while place < len(self._lines):
            line = self._lines[place]
            if not line or line[0] == " " or self._is_item(place):
                place += 1
                continue
            title = self._title(place)
            if title and title.text:
                found.append(title)
            place = place + title.size if title else self._after(place)
        return found

    def _at(self, place: int) -> str:
        return self._lines[place] if place < len(self._lines) else ""

    def _is_item(self, place: int) -> bool:
        """Whether the line `place` begins an item, field, option, comment or directive, which is no title."""
        line = self._lines[place]
        if _ITEM.match(line):
            return True
        number = _NUMBERED.match(line)
        if number is None or (number[1] and number[3] == "."):
            return False
        following = self._at(place + 1)
        given = number[2]
        ahead = str(int(given) + 1) if given.isdecimal() else "#" if given == "#" else chr(ord(given) + 1)
        starts = tuple(f"{number[1]}{each}{number[3]} " for each in (ahead, "#"))
        return not following[:1].strip() or following.startswith(starts)

    def _title(self, place: int) -> Title | None:
        """The title that begins at the line `place`, with empty text for a mere rule, or None."""
        line, following = self._lines[place], self._at(place + 1)
        if _is_block(line):
            return None
        if _RULE.fullmatch(line):
            has_text = following and not _RULE.fullmatch(following)
            if has_text and self._at(place + 2) == line and _fits(following, line):
                return Title(following.strip(), place, 3, line[0] * 2)
            if len(line) >= _SHORT:
                return Title("", place, 3 if has_text else 2, "")
        is_below = _RULE.fullmatch(following) and _fits(line, following)
        return Title(line, place, 2, following[0]) if is_below else None

    def _after(self, place: int) -> int:
        """The number of the line after the block that begins at the line `place`, both from 0."""
        line = self._lines[place]
        if _COLUMNS.fullmatch(line):
            return self._after_columns(place)
        is_session, end = bool(_PROMPT.match(line)), place + 1
        while self._at(end) and (is_session or self._lines[end][0] != " "):
            end += 1
        if _GRID.fullmatch(line):
            return self._after_grid(place, end)
        is_literal = not is_session and _LITERAL.search(self._lines[end - 1])
        return self._after_quoted(end) if is_literal else end

    def _after_grid(self, start: int, end: int) -> int:
        end = next((place for place in range(start, end) if self._lines[place][0] not in "+|"), end)
        if _GRID.fullmatch(self._lines[end - 1]):
            return end
        borders = (place for place in range(end - 2, start + 1, -1) if _GRID.fullmatch(self._lines[place]))
        return next(borders, end + 1) - 1

    def _after_columns(self, start: int) -> int:
        """The line after a simple table that begins at `start`, after its second border if it has no last one."""
        first = 0
        for place in range(start + 1, len(self._lines)):
            if _BORDER.fullmatch(self._lines[place]):
                is_other = len(self._lines[place]) != len(self._lines[start])
                if first or is_other or not self._at(place + 1):
                    return place + 1
                first = place + 1
        return first or len(self._lines)

    def _after_quoted(self, end: int) -> int:
        """The line after an unindented literal block from `end` on. Its lines all begin with the same sign."""
        while end < len(self._lines) and not self._lines[end]:
            end += 1
        sign = self._at(end)[:1]
        while sign and _RULE.fullmatch(sign) and self._at(end).startswith(sign):
            end += 1
        return end


def _is_block(line: str) -> bool:
    """Whether a line begins a table or console session, which may contain rules."""
    return bool(_PROMPT.match(line) or _GRID.fullmatch(line) or _COLUMNS.fullmatch(line))


def _fits(title: str, line: str) -> bool:
    """Whether a rule is long enough to underline a title: as wide as it, or of a minimum length."""
    if len(line) >= _SHORT:
        return True
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in title)
    return len(title) + wide - sum(unicodedata.combining(char) != 0 for char in title) <= len(line)
