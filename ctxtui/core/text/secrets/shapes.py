"""Credentials known by shape or by place, from dated tables, and private keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from ctxtui.core.base.batches import grouped
from ctxtui.core.text.secrets.names import table
from ctxtui.core.text.secrets.plausible import Strength, is_sample, strength
from ctxtui.core.text.secrets.secret import Secret

_OPERAND: Final = (
    r"""(?:"(?P<double>[^"\r\n]{6,200})"|'(?P<single>[^'\r\n]{6,200})'|(?P<value>[^\s"'`|<>;]{6,200}))"""
)
_BEFORE: Final = 200

_BEFORE_ANCHOR: Final = 40
_DIGIT: Final = re.compile("[0-9]")
# Every credential of the table has one.
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_-]{16,}")
_KEY: Final = re.compile(
    r"""-----BEGIN\ (?:[A-Z0-9]{1,20}\ ){0,3}PRIVATE\ KEY(?:\ BLOCK)?-----
    (?:(?P<whole>(?:(?!-----BEGIN\ )[\s\S]){40,16384}?)
        -----END\ (?:[A-Z0-9]{1,20}\ ){0,3}PRIVATE\ KEY(?:\ BLOCK)?-----
      |(?P<rest>(?:\s{1,4}[A-Z][A-Za-z-]{3,24}:\ [^\r\n]{1,99}){0,4}
        (?:(?:\\[rn]|[\s"'>|\#*,;]){1,24}[A-Za-z0-9+/=]{16,}+){1,400}
        (?:(?:\\[rn]|[\s"'>|\#*,;]){1,24}[A-Za-z0-9+/=]{2,}+(?=[\s"'\\]|\Z))?))""",
    re.VERBOSE,
)
_PUTTY: Final = re.compile(
    # Without an end of its own: the next header looks like a line of the key.
    r"Private-Lines: \d{1,4}[ \t]*(?:\r\n?|\n)(?=((?:[A-Za-z0-9+/=]{2,80}(?:\r\n?|\n)){0,400}[A-Za-z0-9+/=]{2,80}))"
)
# No placeholder such as `...` between the first and the last line.
_KEY_BODY: Final = re.compile(
    r"""[A-Za-z0-9+/=]{40,}|(?:[A-Za-z0-9+/=]{8,}+[ \t"',;]*(?:\\[rn]|[\r\n]){1,4}[ \t>|#*"']*){3}"""
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where credentials stand: lower-case anchors, and patterns from there on, before it, in its line, above it."""

    id: str
    anchors: tuple[bytes, ...]
    pattern: re.Pattern[str] | None
    before: re.Pattern[str] | None
    line: re.Pattern[str] | None
    above: re.Pattern[str] | None
    is_shape: bool


def _place(row: dict[str, Any]) -> Place:
    def regex(key: str) -> re.Pattern[str] | None:
        return re.compile(row[key].replace("(?:{value})", _OPERAND)) if key in row else None

    anchors = tuple(anchor.encode() for anchor in row["anchors"])
    return Place(row["id"], anchors, regex("pattern"), regex("before"), regex("line"), regex("above"), "shape" in row)


def find_placed(text: str, lowered: bytes, anchors: Iterable[bytes], above: Callable[[int], str]) -> Iterator[Secret]:
    """The credentials at the places of the table that have these `anchors`.

    `lowered` has one byte, in lower case, per character. `above` returns the end of the full text before an offset.
    """
    for anchor in anchors:
        start = lowered.find(anchor)
        while start >= 0:
            for place in by_anchor()[anchor]:
                span = _value_at_anchor(text, place, start)
                if span and (not place.above or place.above.search(above(start))):
                    yield Secret(place.id, *span)
            start = lowered.find(anchor, start + 1)


@cache
def by_anchor() -> dict[bytes, list[Place]]:
    places = map(_place, table("places")["place"])
    return grouped((anchor, place) for place in places for anchor in place.anchors)


def _value_at_anchor(text: str, place: Place, start: int) -> tuple[int, int] | None:
    """The offsets of the credential of a place whose anchor is at `start`, None without a plausible value."""
    first = max(0, start - _BEFORE)
    match = place.pattern.match(text, start) if place.pattern else None
    if place.before:
        match = place.before.search(text, first, start)
    if match is None or (
        place.line and not place.line.search(text, text.rfind("\n", first, start) + 1 or first, start)
    ):
        return None
    group = next(name for name in ("value", "double", "single") if match.groupdict().get(name))
    value = match[group]
    if place.is_shape:
        return None if is_sample(value) else match.span(group)
    if strength(value) < (Strength.PHRASE if place.id == "url-password" else Strength.PASSWORD):
        return None
    if "user" in match.groupdict() and match["user"].lower() == value.lower():
        return None
    return match.span("hide" if "hide" in match.groupdict() else group)


@dataclass(frozen=True, slots=True)
class Rule:
    """A shape: its first characters, and the pattern from there, with an optional pattern `before` it."""

    id: str
    anchors: tuple[str, ...]
    before: re.Pattern[str] | None
    pattern: re.Pattern[str]


@cache
def rules() -> tuple[Rule, ...]:
    return tuple(_rule(row) for row in table("shapes")["secret"])


def _rule(row: dict[str, Any]) -> Rule:
    anchors = tuple(sorted(row["anchors"], key=len, reverse=True))
    before = re.compile(rf"{row['before']}\Z") if "before" in row else None
    words = "|".join(map(re.escape, anchors))
    start = "" if before else r"(?<!\w)"
    return Rule(
        row["id"], anchors, before, re.compile(rf"{start}(?:{words})(?:{row['body']})(?<!\.)(?![A-Za-z0-9_])")
    )


def find_shapes(text: str, plain: bytes) -> Iterator[Secret]:
    """The credentials known by shape alone, which may overlap. `plain` is the text with one byte per character."""
    for rule in rules() if _any_shape()(plain) else ():
        for anchor in rule.anchors:
            yield from _with_anchor(text, rule, anchor)


@cache
def _any_shape() -> Callable[[bytes], object]:
    """A search for all shapes in one pass, which rules out nearly all texts: 57 MB take 0.1 s."""
    import re2  # noqa: PLC0415 - built once, as the rules are

    patterns = []
    for row in table("shapes")["secret"]:
        start = "" if "before" in row else r"(?:^|[^0-9A-Za-z_])"
        words = "|".join(map(re.escape, row["anchors"]))
        # Without upper bounds, which RE2 limits and a search for any shape does not need.
        body = re.sub(r",\d+\}", ",}", row["body"])
        patterns.append(f"{start}(?:{words})(?:{body})")
    search: Callable[[bytes], object] = re2.compile("|".join(patterns).encode("ascii")).search
    return search


def _with_anchor(text: str, rule: Rule, anchor: str) -> Iterator[Secret]:
    """The credentials of a shape that begin with one of its anchors, without documented examples."""
    start = text.find(anchor)
    while start >= 0:
        match, first = rule.pattern.match(text, start), start
        if match and rule.before:
            lead = rule.before.search(text, max(0, start - _BEFORE_ANCHOR), start)
            match, first = (match, lead.start()) if lead else (None, start)
        if match and _is_no_slug(text[first : match.end()]) and not is_sample(text[first : match.end()]):
            yield Secret(rule.id, first, match.end())
        start = text.find(anchor, match.end() if match else start + 1)


def _is_no_slug(match: str) -> bool:
    """Whether a long word of a match has a digit, mixed case or only letters: it is no slug such as `a-b-c`."""
    words = _LONG_WORD.findall(match)
    return any(_DIGIT.search(word) or word.isalpha() or not (word.islower() or word.isupper()) for word in words)


def find_private_keys(text: str) -> Iterator[Secret]:
    """Private keys of many lines, even if the end is cut off."""
    for match in _KEY.finditer(text):
        if _KEY_BODY.search(match["whole"] or match["rest"]):
            yield Secret("private-key", *match.span())
    for match in _PUTTY.finditer(text):
        yield Secret("private-key", *match.span(1))
