"""Credentials known by their place: addresses, options of commands, statements and calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from ctxtui.core.text.secrets.data import table
from ctxtui.core.text.secrets.plausible import Strength, is_sample, strength
from ctxtui.core.text.secrets.secret import Secret

_WORD: Final = r"""(?:"(?P<double>[^"\r\n]{6,200})"|'(?P<single>[^'\r\n]{6,200})'|(?P<value>[^\s"'`|<>;]{6,200}))"""
_GROUPS: Final = ("value", "double", "single")
_BEFORE: Final = 200


@dataclass(frozen=True, slots=True)
class Place:
    """One place: the text to search for, in lower case, and the patterns to match from there or before it."""

    id: str
    anchors: tuple[bytes, ...]
    pattern: re.Pattern[str] | None
    before: re.Pattern[str] | None
    line: re.Pattern[str] | None
    above: re.Pattern[str] | None
    is_shape: bool


@cache
def places() -> tuple[Place, ...]:
    """The rows of `places.toml`."""
    return tuple(_place(row) for row in table("places")["place"])


def _place(row: dict[str, Any]) -> Place:
    def compiled(key: str) -> re.Pattern[str] | None:
        return re.compile(row[key].replace("(?:{value})", _WORD)) if key in row else None

    anchors = tuple(anchor.encode() for anchor in row["anchors"])
    return Place(
        row["id"],
        anchors,
        compiled("pattern"),
        compiled("before"),
        compiled("line"),
        compiled("above"),
        "shape" in row,
    )


def find_placed(text: str, lowered: bytes, above: Callable[[int], str]) -> Iterator[Secret]:
    """The credentials at the places of the table.

    `lowered` is the text with a small byte for each character; `above` returns the full text before an offset.
    """
    for anchor, rows in _by_anchor().items():
        start = lowered.find(anchor)
        while start >= 0:
            for place in rows:
                span = _at(text, place, start)
                if span and (not place.above or place.above.search(above(start))):
                    yield Secret(place.id, *span)
            start = lowered.find(anchor, start + 1)


@cache
def _by_anchor() -> dict[bytes, list[Place]]:
    found: dict[bytes, list[Place]] = {}
    for place in places():
        for anchor in place.anchors:
            found.setdefault(anchor, []).append(place)
    return found


def _at(text: str, place: Place, start: int) -> tuple[int, int] | None:
    first = max(0, start - _BEFORE)
    match = place.pattern.match(text, start) if place.pattern else None
    if place.before:
        match = place.before.search(text, first, start)
    if match is None or (
        place.line and not place.line.search(text, text.rfind("\n", first, start) + 1 or first, start)
    ):
        return None
    group = next(name for name in _GROUPS if match.groupdict().get(name))
    value = match[group]
    if place.is_shape:
        return None if is_sample(value) else match.span(group)
    if strength(value) < (Strength.PHRASE if place.id == "url-password" else Strength.PASSWORD):
        return None
    if "user" in match.groupdict() and match["user"].lower() == value.lower():
        return None
    return match.span("hide" if "hide" in match.groupdict() else group)
