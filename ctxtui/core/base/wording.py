"""Numbers, sizes and names as people write them, and suggestions for mistyped names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ctxtui.core.base.batches import grouped
from ctxtui.core.base.errors import invalid

# A comma stands only before three digits: `1,5k` may be meant as 1.5k.
_SIZE = re.compile(r"((?:[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9][0-9_]{0,17})(?:\.[0-9]{1,6})?)\s*([kKmM]?)")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}

_NEAR = 0.6
# Names less similar than the nearest by more than this are dropped.
_MARGIN = 0.05
_AT_MOST = 3


def parse_tokens(text: str) -> int:
    """A number such as `12000`, `12,000`, `12k` or `1.5m`. Raises ContextError (invalid_request) for others."""
    from decimal import Decimal  # noqa: PLC0415 - most commands are given no such number

    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise invalid(f"not a number of tokens: {text!r}", hint="write 12000 or 12k")
    number = Decimal(match[1].replace(",", "").replace("_", ""))
    return round(number * _FACTORS[match[2].lower()])


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 file`, `1,204 files`. `many` is an irregular plural."""
    return f"{count:,} {noun(count, one, many)}"


def noun(count: int, one: str, many: str | None = None) -> str:
    """The singular `one` or its plural, for a number that is written elsewhere. `many` is an irregular plural."""
    if abs(count) == 1:
        return one
    if many is not None:
        return many
    return f"{one[:-1]}ies" if one.endswith("y") and one[-2:-1] not in "aeiou" else f"{one}s"


def some(words: Sequence[str], most: int) -> str:
    """Some words as a phrase, and how many are left out above `most`: `a, b and 4 more`."""
    return ", ".join(words[:most]) + and_more(len(words), most)


def and_more(count: int, shown: int) -> str:
    """The end of a list of `count` things that has `shown` of them: ` and 4 more`, empty if it has all."""
    return f" and {count - shown:,} more" if count > shown else ""


def byte_size(count: int) -> str:
    """A number of bytes for people: `1 byte`, `520 bytes`, `12 kB`, `104.2 MB`."""
    if count < 1_000:
        return plural(count, "byte")
    return f"{count / 1_000:,.0f} kB" if count < 999_500 else f"{count / 1_000_000:,.1f} MB"


def near(word: str, known: Iterable[str], quote: str = "") -> str | None:
    """The hint `did you mean …?` with the known names near `word`, each in `quote` signs. None if none is near."""
    names = nearest(word, known)
    return f"did you mean {', '.join(f'{quote}{name}{quote}' for name in names)}?" if names else None


def near_or_all(word: str, known: Iterable[str], quote: str = "") -> str:
    """The hint of `near`, or if no known name is near, `known: …` with all of them and no `quote` signs."""
    names = list(known)
    return near(word, names, quote) or f"known: {', '.join(names)}"


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Up to three known names, all about as near as the nearest. Compares the last part of paths, ignoring case."""
    ends = grouped((_end(name), name) for name in known)
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 - only for names that are wrong

    close = get_close_matches(_end(word), ends, n=_AT_MOST, cutoff=_NEAR)
    alike = [SequenceMatcher(None, end, _end(word)).ratio() for end in close]
    near_enough = (end for end, ratio in zip(close, alike, strict=True) if ratio >= alike[0] - _MARGIN)
    return [name for end in near_enough for name in ends[end]][:_AT_MOST]


def _end(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].lower()
