"""Problems and notes as lines for people: each of a few, the kinds of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ctxtui.core.notices import Notice, by_kind

MOST: Final = 10


def told(notices: Sequence[Notice]) -> list[str]:
    """At most ten lines: the notices, or how many there are of each kind, and where all can be read."""
    if len(notices) <= MOST:
        return [f"{_word(notice)}: {notice}" for notice in notices]
    kinds = by_kind(notices)
    shown = kinds if len(kinds) < MOST else kinds[: MOST - 2]
    lines = [_line(kind) for kind in shown]
    rest = kinds[len(shown) :]
    if rest:
        lines.append(f"{_word(rest[0][0])}: {', '.join(f'{len(kind):,} × {kind[0].code}' for kind in rest)}")
    return [*lines, f"{len(notices):,} in all: --json lists each of them, and so does P in the app"]


def _line(kind: Sequence[Notice]) -> str:
    first, count = kind[0], f"{len(kind):,} × " if len(kind) > 1 else ""
    return f"{_word(first)}: {count}{first.code}{', such as' if count else ':'} {first}"


def _word(notice: Notice) -> str:
    return "problem" if notice.is_problem else "note"
