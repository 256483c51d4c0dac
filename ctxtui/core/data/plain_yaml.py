"""Mappings of plain values, as nearly all frontmatter is, read by a pattern exactly as the YAML library reads them.

Plain are texts on one line that mean nothing special, short numbers, yes and no, lists of these in brackets or with
dashes, and below a key a mapping of them or a list of mappings. The library takes ten times as long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

# What is not printable in every version of YAML, or breaks a line, besides the line feed.
_ODD_ASCII: Final = re.compile(r"[^\n -~]")
_ODD_OTHERS: Final = r"[\0-\t\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
# The patterns below are for texts without odd characters: classes that leave some out match fastest.
_QUOTED: Final = r"\"[^\"\\\n]*+\"|'[^'\n]*+'"
_FIRST: Final = r"[\w/$.(]"
_PLAIN: Final = rf"{_FIRST}(?:[^ :\n]++|:(?=[^ \n])|[ ]++(?=[^ #\n]))*+"
_LISTED: Final = rf"{_FIRST}(?:[\w/$.()+-]++|[ ]++(?=[\w/$.()+-]))*+"
_END: Final = r"[ ]*+(?:\n|\Z)"
_PAIR: Final = (
    rf"(?P<key>[A-Za-z_][\w-]{{0,99}}):(?:[ ]++(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})"
    rf"|\[(?P<listed>[ ]*+(?:(?:{_LISTED}|{_QUOTED})[ ]*+(?:,[ ]*+(?:{_LISTED}|{_QUOTED})[ ]*+)*+)?)\]))?+{_END}"
)
_LINE: Final = rf"{_PAIR}(?P<below>(?:[ -][^\n]*+(?:\n|\Z))*+)"
_BELOW: Final = rf"(?P<indent>[ ]*+)(?P<dash>-[ ]++)?+(?:{_PAIR}|(?P<item>{_PLAIN}|{_QUOTED}){_END})"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_SHORT: Final = re.compile(r"(?:0|[1-9][0-9]{0,14})(?P<fraction>\.[0-9]{1,6})?")
_SPELLINGS: Final = (str.lower, str.capitalize, str.upper)
_WORDS: Final[Mapping[str, bool | None]] = {
    spell(word): value
    for words, value in (("yes true on", True), ("no false off", False), ("null", None))
    for word in words.split()
    for spell in _SPELLINGS
}


class Bare(str):
    """A text without quotes in YAML, which may mean a number, a date, yes, no or nothing."""

    __slots__ = ()


class _Line(NamedTuple):
    """A line below a key: what `_BELOW` found in it."""

    indent: str
    dash: str | None
    key: str | None
    plain: str | None
    quoted: str | None
    listed: str | None
    item: str | None


class _Reading(NamedTuple):
    """What a scalar means, and what stands for none."""

    scalar: Callable[[str], Any]
    nothing: Any


class _Unsure(Exception):
    """The library knows better."""


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, (_LINE, _BELOW, f"{_LISTED}|{_QUOTED}")))


def plain_mapping(raw: str) -> dict[str, Any] | None:
    """The values of a YAML mapping whose keys differ; None if it is anything but plain."""
    return _mapping(raw, _VALUES)


def plain_texts(raw: str) -> dict[str, Any] | None:
    """The same with every scalar as text, as the base loader of the library reads it; `Bare` if it is unquoted."""
    return _mapping(raw, _TEXTS)


def _mapping(raw: str, reading: _Reading) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    try:
        for key, plain, quoted, listed, below in _pairs(raw.removesuffix("\n")):
            value = _value(reading, plain, quoted, listed)
            if below:
                if not (plain is quoted is listed is None):
                    return None
                value = _nested(reading, below)
            _add(found, key, value)
    except _Unsure:
        return None
    return found or None


# The same metadata are read as values and as texts, one right after the other, and with or without the last line end.
@lru_cache(maxsize=2)
def _pairs(raw: str) -> Sequence[tuple[Any, ...]]:
    """What `_LINE` finds in a text, line by line."""
    if _is_odd(raw):
        raise _Unsure
    return list(_rows(_patterns()[0], raw))


def _is_odd(text: str) -> bool:
    # Most metadata is ASCII, for which the long list of characters need not be compiled.
    return (_ODD_ASCII.search(text) if text.isascii() else _odd_others().search(text)) is not None


@cache
def _odd_others() -> re.Pattern[str]:
    return re.compile(_ODD_OTHERS)


def _rows(pattern: re.Pattern[str], text: str) -> Iterator[tuple[Any, ...]]:
    """The groups of matches that follow one another up to the end."""
    position, size = 0, len(text)
    while position < size:
        match = pattern.match(text, position)
        if match is None:
            raise _Unsure
        yield match.groups()
        position = match.end()


def _add(values: dict[str, Any], key: str, value: Any) -> None:
    if key in values or key in _WORDS:
        raise _Unsure
    values[key] = value


def _value(reading: _Reading, plain: str | None, quoted: str | None, listed: str | None) -> Any:
    if plain is not None:
        return reading.scalar(plain)
    if quoted is not None:
        return quoted[1:-1]
    if listed is None:
        return reading.nothing
    return [reading.scalar(each) for each in _patterns()[2].findall(listed)]


def _nested(reading: _Reading, below: str) -> Any:
    """The list, or the mapping, in the lines below a key."""
    lines = [_Line(*row) for row in _rows(_patterns()[1], below)]
    first = lines[0]
    if first.dash:
        return _listed(reading, lines)
    values: dict[str, Any] = {}
    for line in lines:
        if line.dash or line.key is None or line.indent != first.indent:
            raise _Unsure
        _add(values, line.key, _value(reading, line.plain, line.quoted, line.listed))
    return values


def _listed(reading: _Reading, lines: Sequence[_Line]) -> list[Any]:
    found: list[Any] = []
    column = -1
    for line in lines:
        indent, dash = len(line.indent), line.dash
        if dash and line.indent == lines[0].indent:
            found.append(reading.scalar(line.item or "") if line.key is None else {})
            column = indent + len(dash) if line.key else -1
        elif dash or indent != column:
            raise _Unsure
        if line.key is not None:
            _add(found[-1], line.key, _value(reading, line.plain, line.quoted, line.listed))
        elif not dash:
            raise _Unsure
    return found


def _scalar(text: str) -> Any:
    if text[0] in "\"'":
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    if text[0].isdecimal() and _NUMBER.fullmatch(text):
        short = _SHORT.fullmatch(text)
        if short is None:
            raise _Unsure
        return float(text) if short["fraction"] else int(text)
    return text


def _text(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') else Bare(text)


_VALUES: Final = _Reading(_scalar, None)
_TEXTS: Final = _Reading(_text, Bare(""))
