"""The guard of every way out: finds credentials in text and puts visible marks in their place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from ctxtui.core.secrets.named import find_named
from ctxtui.core.secrets.shapes import Secret, find_shapes


def find_secrets(text: str) -> list[Secret]:
    """The credentials in a text, by shape or by name, in order and without overlaps; never the values themselves."""
    merged: list[Secret] = []
    shapes = list(find_shapes(text))
    for each in sorted([*shapes, *find_named(text)], key=lambda secret: (secret.start, -secret.end)):
        if merged and each.start < merged[-1].end:
            rule = each.rule if each in shapes else merged[-1].rule
            merged[-1] = replace(merged[-1], rule=rule, end=max(each.end, merged[-1].end))
        else:
            merged.append(each)
    return merged


def redact(text: str) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and what was replaced."""
    found = find_secrets(text)
    return (redacted(text, found, 0, len(text))[0] if found else text), found


def blank(text: str, hidden: Sequence[Secret], start: int = 0, end: int | None = None) -> str:
    """A piece of a text with only the line breaks of what is hidden, so that no word of it is found."""
    return _cut(text, hidden, start, len(text) if end is None else end, lambda _, piece: f" {_breaks(piece)}")[0]


def redacted(text: str, hidden: Sequence[Secret], start: int, end: int) -> tuple[str, int]:
    """A piece of a text with marks for what is hidden, also where the piece cuts through it, and their number."""
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
