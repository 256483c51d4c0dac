"""The guard of all exports: finds credentials in text and replaces them with visible marks."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from ctxtui.core.digest import text_digest
from ctxtui.core.lru import Memo
from ctxtui.core.secrets.busy import Busy
from ctxtui.core.secrets.named import find_foreign, find_named
from ctxtui.core.secrets.names import NAMES, PHRASED
from ctxtui.core.secrets.places import find_placed
from ctxtui.core.secrets.shapes import Secret, find_private_keys, find_shapes
from ctxtui.core.secrets.tables import find_in_tables

if TYPE_CHECKING:
    from ctxtui.core.passes import Passes

_KIND: Final = "secrets"
_VAGUE: Final = frozenset(NAMES.values())
# After this many scans that found more, whole lines are hidden, and later the whole text.
_LEFT_IN_WORDS: Final = 6
_LEFT_IN_LINES: Final = 10
# What was found, by the digest of the text; a text is exported, counted and audited in turn.
_known: Final[Memo[bytes, tuple[Secret, ...]]] = Memo(100_000, lambda found: 8 + len(found))


def find_secrets(text: str, passes: Passes | None = None) -> list[Secret]:
    """The credentials in a text, by shape, name or place, in order and without overlaps; never the values.

    A text that was searched before is not searched again; with `passes`, by no other process either.
    """
    digest = text_digest(text)
    kept = passes.find(_KIND, digest) if passes else None
    if kept is not None:
        return [Secret(*each) for each in json.loads(kept)]
    found = _known.get(digest, lambda: tuple(_find(text)))
    if passes:
        passes.keep(_KIND, digest, json.dumps([(each.rule, each.start, each.end) for each in found]).encode())
    return list(found)


def _find(text: str) -> list[Secret]:
    found = _scan(text)
    # A replacement changes the context of the rest, so scan again until nothing is found. Nobody writes texts in
    # which each replacement reveals another secret, but one can be made: then more and more is hidden.
    more, scans = found, 0
    while more:
        more, scans = _left(text, found), scans + 1
        if scans > _LEFT_IN_LINES:
            more = [Secret(each.rule, 0, len(text)) for each in more]
        elif scans > _LEFT_IN_WORDS:
            more = [_whole_line(text, each) for each in more]
        found = merged([*found, *more])
    return found


def _whole_line(text: str, secret: Secret) -> Secret:
    end = text.find("\n", secret.end)
    return replace(secret, start=text.rfind("\n", 0, secret.start) + 1, end=len(text) if end < 0 else end)


def _scan(text: str) -> list[Secret]:
    plain = text.encode("ascii", "replace")
    lowered = plain.lower()
    found = [*find_private_keys(text), *find_shapes(text, plain)]
    found += [*find_named(text, lowered, PHRASED), *find_in_tables(text, lowered)]
    busy = Busy.of(text, plain)
    lowered = busy.plain.lower()
    found += map(busy.back, [*find_named(busy.text, lowered), *find_foreign(busy.text)])
    found += map(busy.back, find_placed(busy.text, lowered, lambda offset: busy.above(text, offset)))
    return merged(found)


def _left(text: str, found: list[Secret]) -> list[Secret]:
    """The credentials that are found only after those in `found` are replaced by marks."""
    marks = [f"[redacted: {secret.rule}]" for secret in found]
    moved = [0, *accumulate(secret.end - secret.start - len(mark) for secret, mark in zip(found, marks, strict=True))]
    starts = [secret.start - shift for secret, shift in zip(found, moved, strict=False)]
    ends = [start + len(mark) for start, mark in zip(starts, marks, strict=True)]
    more: list[Secret] = []
    for secret in _scan(redacted(text, found, 0, len(text))[0]):
        first, last = bisect_right(ends, secret.start), bisect_left(starts, secret.end)
        if first < last and starts[first] <= secret.start and secret.end <= ends[first]:
            continue
        begins = found[first].start if first < last and starts[first] <= secret.start else secret.start + moved[first]
        stops = found[last - 1].end if first < last and secret.end <= ends[last - 1] else secret.end + moved[last]
        more.append(replace(secret, start=begins, end=stops))
    return more


def merged(found: list[Secret]) -> list[Secret]:
    """In order and without overlaps; of two that overlap, the rule of the more specific one is kept."""
    merged: list[Secret] = []
    for each in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if merged and each.start < merged[-1].end:
            rule = each.rule if merged[-1].rule in _VAGUE and each.rule not in _VAGUE else merged[-1].rule
            merged[-1] = replace(merged[-1], rule=rule, end=max(each.end, merged[-1].end))
        else:
            merged.append(each)
    return merged


def redact(text: str, passes: Passes | None = None) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and what was replaced."""
    found = find_secrets(text, passes)
    return (redacted(text, found, 0, len(text))[0] if found else text), found


def blank(text: str, hidden: Sequence[Secret], start: int = 0, end: int | None = None) -> str:
    """A piece of a text with hidden parts reduced to their line breaks, so that none of their words is found."""
    return _cut(text, hidden, start, len(text) if end is None else end, lambda _, piece: f" {_breaks(piece)}")[0]


def redacted(text: str, hidden: Sequence[Secret], start: int, end: int) -> tuple[str, int]:
    """A piece of a text with marks for its hidden parts, also for partial ones, and their number."""
    return _cut(text, hidden, start, end, lambda secret, _: f"[redacted: {secret.rule}]")


def _breaks(piece: str) -> str:
    return "".join(char for char in piece if char in "\r\n")


def _cut(
    text: str, hidden: Sequence[Secret], start: int, end: int, instead: Callable[[Secret, str], str]
) -> tuple[str, int]:
    parts: list[str] = []
    first = position = bisect_right(hidden, start, key=lambda secret: secret.end)
    while position < len(hidden) and hidden[position].start < end:
        secret = hidden[position]
        piece = text[max(start, secret.start) : min(end, secret.end)]
        parts += [text[start : max(start, secret.start)], instead(secret, piece)]
        start, position = min(end, secret.end), position + 1
    return "".join([*parts, text[start:end]]), position - first
