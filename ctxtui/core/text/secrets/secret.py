"""A credential in a text, and the marks that replace it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_NO_BREAK = re.compile(r"[^\r\n]+")


def blank(text: str, hidden: Sequence[Secret], start: int = 0, end: int | None = None) -> str:
    """`text[start:end]` for a search. Each `hidden` credential becomes a space and its line breaks."""
    end = len(text) if end is None else end
    return _replaced_text(text, hidden, start, end, lambda _, piece: f" {_NO_BREAK.sub('', piece)}")[0]


def redacted(text: str, hidden: Sequence[Secret], start: int, end: int) -> tuple[str, int]:
    """`text[start:end]` with a mark for each `hidden` credential in it, whole or in part, and the number of marks."""
    return _replaced_text(text, hidden, start, end, lambda secret, _: f"[redacted: {secret.rule}]")


def _replaced_text(
    text: str, hidden: Sequence[Secret], start: int, end: int, instead: Callable[[Secret, str], str]
) -> tuple[str, int]:
    """`text[start:end]` with `instead(secret, its text there)` for each `hidden` credential, and their number."""
    parts: list[str] = []
    first = position = bisect_right(hidden, start, key=lambda secret: secret.end)
    while position < len(hidden) and hidden[position].start < end:
        secret = hidden[position]
        piece = text[max(start, secret.start) : min(end, secret.end)]
        parts += [text[start : max(start, secret.start)], instead(secret, piece)]
        start, position = min(end, secret.end), position + 1
    return "".join([*parts, text[start:end]]), position - first


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text: the rule that matched and the offsets, never the credential."""

    rule: str
    start: int
    end: int
