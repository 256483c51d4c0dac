"""Mappings of plain values, as nearly all frontmatter is, read by a pattern exactly as the YAML library reads them.

Plain are texts on one line that mean nothing special, short numbers, yes and no, and lists of these in brackets or
with dashes. The library takes ten times as long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

# What is printable in every version of YAML and breaks no line, besides ASCII.
_OTHER: Final = "\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_QUOTED: Final = rf"\"[ !#-\[\]-~{_OTHER}]*+\"|'[ -&(-~{_OTHER}]*+'"
_FIRST: Final = r"[\w/$.(]"
_PLAIN: Final = rf"{_FIRST}(?:[!-9;-~{_OTHER}]++|:(?=[!-~{_OTHER}])|[ ]++(?=[!\"$-~{_OTHER}]))*+"
_LISTED: Final = rf"{_FIRST}(?:[\w/$.()+-]++|[ ]++(?=[\w/$.()+-]))*+"
_END: Final = r"[ ]*+(?:\n|\Z)"
_LINE: Final = (
    rf"(?P<key>[A-Za-z_][\w-]{{0,99}}):(?:[ ]++(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})"
    rf"|\[(?P<listed>[ ]*+(?:(?:{_LISTED}|{_QUOTED})[ ]*+(?:,[ ]*+(?:{_LISTED}|{_QUOTED})[ ]*+)*+)?)\]))?+{_END}"
    rf"(?P<below>(?:[ ]*+-[ ]++(?:{_PLAIN}|{_QUOTED}){_END})*+)"
)
_ITEM: Final = rf"(?P<indent>[ ]*+)-[ ]++(?P<item>{_PLAIN}|{_QUOTED}){_END}"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_SHORT: Final = re.compile(r"(?:0|[1-9][0-9]{0,14})(?P<fraction>\.[0-9]{1,6})?")
_SPELLINGS: Final = (str.lower, str.capitalize, str.upper)
_WORDS: Final[Mapping[str, bool | None]] = {
    spell(word): value
    for words, value in (("yes true on", True), ("no false off", False), ("null", None))
    for word in words.split()
    for spell in _SPELLINGS
}


class _Unsure(Exception):
    """The library knows better."""


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, (_LINE, _ITEM, f"{_LISTED}|{_QUOTED}")))


def plain_mapping(raw: str) -> dict[str, Any] | None:
    """The values of a YAML mapping whose keys differ; None if it is anything but plain."""
    line, _, _ = _patterns()
    found: dict[str, Any] = {}
    position = 0
    try:
        while position < len(raw):
            match = line.match(raw, position)
            if match is None or match["key"] in found or match["key"] in _WORDS:
                return None
            found[match["key"]] = _value(match)
            position = match.end()
    except _Unsure:
        return None
    return found or None


def _value(match: re.Match[str]) -> Any:
    plain, quoted, listed, below = match.group("plain", "quoted", "listed", "below")
    if below:
        if plain is not None or quoted is not None or listed is not None:
            raise _Unsure
        return _items(below)
    if plain is not None:
        return _scalar(plain)
    if quoted is not None:
        return quoted[1:-1]
    return [_scalar(each) for each in _patterns()[2].findall(listed)] if listed is not None else None


def _items(below: str) -> list[Any]:
    found = list(_patterns()[1].finditer(below))
    if len({each["indent"] for each in found}) > 1:
        raise _Unsure
    return [_scalar(each["item"]) for each in found]


def _scalar(text: str) -> Any:
    if text[0] in "\"'":
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        short = _SHORT.fullmatch(text)
        if short is None:
            raise _Unsure
        return float(text) if short["fraction"] else int(text)
    return text
