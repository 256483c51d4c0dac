"""Patterns for RE2 that match in the UTF-8 bytes of every text in which one for `re` matches, and in some others."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from re import _constants, _parser  # type: ignore[attr-defined]  # the only parser that cannot disagree with `re`
from typing import Any, Final

# One or more characters that are not ASCII.
_BEYOND: Final = r"[\x80-\xff]+"
_ASCII: Final = range(128)
# How far repetitions are counted: each count is a state.
_COUNTED: Final = 8
# In any case these letters are also ones that are not ASCII: `ı`, `K` and `ſ`.
_FOLDED: Final = frozenset(b"iksIKS")
_CATEGORIES: Final = {
    "DIGIT": re.compile(r"\d"),
    "NOT_DIGIT": re.compile(r"\D"),
    "SPACE": re.compile(r"\s"),
    "NOT_SPACE": re.compile(r"\S"),
    "WORD": re.compile(r"\w"),
    "NOT_WORD": re.compile(r"\W"),
}


def loosened(pattern: str | re.Pattern[str]) -> str:
    """The pattern without what it asks of its surroundings; it repeats from a small number on, without end."""
    written, flags = (pattern, 0) if isinstance(pattern, str) else (pattern.pattern, pattern.flags)
    tree = _parser.parse(written, flags)
    return _sequence(tree, tree.state.flags)


def exactly(text: str) -> str:
    """The pattern of the bytes of a text."""
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def _sequence(tree: Any, flags: int) -> str:
    return f"(?:{''.join(_piece(str(operator), value, flags) for operator, value in tree)})"


def _piece(name: str, value: Any, flags: int) -> str:
    if name in ("AT", "ASSERT", "ASSERT_NOT"):
        return ""
    if name == "LITERAL" and not flags & re.IGNORECASE:
        return exactly(chr(value))
    if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return _member(name, value, flags)
    if name == "BRANCH":
        return f"(?:{'|'.join(_sequence(tree, flags) for tree in value[1])})"
    if name == "SUBPATTERN":
        _, added, removed, tree = value
        return _sequence(tree, (flags | added) & ~removed)
    if name == "ATOMIC_GROUP":
        return _sequence(value, flags)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, tree = value
        return _sequence(tree, flags) + ("?" if (least, most) == (0, 1) else _times(least, most))
    raise ValueError(name)


def _times(least: int, most: int) -> str:
    return f"{{{least}}}" if least == most <= _COUNTED else f"{{{min(least, _COUNTED)},}}"


def _member(name: str, value: Any, flags: int) -> str:
    """The pattern of one character."""
    if name == "ANY":
        items = [(_constants.NEGATE, None)] + ([] if flags & re.DOTALL else [(_constants.LITERAL, ord("\n"))])
    elif name == "IN":
        items = value
    else:
        items = [(_constants.NEGATE, None)] * (name == "NOT_LITERAL") + [(_constants.LITERAL, value)]
    is_negated = bool(items) and items[0][0] is _constants.NEGATE
    given = [_codes(*item) for item in items[is_negated:]]
    codes = {code for each in given for code in each if code in _ASCII}
    if flags & re.IGNORECASE:
        codes |= {ord(form) for code in codes for form in (chr(code).lower(), chr(code).upper())}
    is_beyond = is_negated or any(each[-1] not in _ASCII for each in given)
    is_beyond |= bool(flags & re.IGNORECASE and codes & _FOLDED)
    written = _class(set(_ASCII) - codes if is_negated else codes)
    return f"(?:{written}|{_BEYOND})" if is_beyond else written


def _codes(operator: Any, value: Any) -> range | tuple[int, ...]:
    """The codes of a member of a class, in order; any that is not ASCII stands for all."""
    if operator is _constants.CATEGORY:
        return _category(str(value).removeprefix("CATEGORY_"))
    return range(value[0], value[1] + 1) if operator is _constants.RANGE else (value,)


@cache
def _category(name: str) -> tuple[int, ...]:
    return (*(code for code in _ASCII if _CATEGORIES[name].match(chr(code))), len(_ASCII))


def _class(codes: set[int]) -> str:
    runs = [[code for _, code in run] for _, run in groupby(enumerate(sorted(codes)), lambda each: each[1] - each[0])]
    spans = "".join(rf"\x{run[0]:02x}-\x{run[-1]:02x}" for run in runs)
    return f"[{spans}]" if runs else r"[^\x00-\xff]"
