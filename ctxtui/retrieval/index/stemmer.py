"""A light stemmer for English: removes endings that change a word's form but not its meaning."""

from __future__ import annotations

import re
from typing import Final

_VOWEL: Final = re.compile("[aeiouy]")
_SHORTEST: Final = 3
# Tried in order, each once: an ending, its replacement, the minimum length of the rest.
_ENDINGS: Final = (
    (("sses", "ss", 1), ("ies", "y", 2), ("xes", "x", 1), ("ches", "ch", 1), ("shes", "sh", 1), ("s", "", 3)),
    (
        ("ingly", "", 3),
        ("edly", "", 3),
        ("ing", "", 3),
        ("ied", "y", 2),
        ("eed", "ee", 2),
        ("ed", "", 3),
        ("ly", "", 4),
    ),
    (("ization", "iz", 3), ("ation", "at", 3), ("tion", "t", 3), ("sion", "s", 3), ("ator", "at", 3)),
    (("at", "", 5),),
    (("ment", "", 5),),
)
_KEPT: Final = ("ss", "us", "is")
# The last letters of each group: most words end with none of them.
_LAST: Final = tuple((frozenset(ending[-1] for ending, _, _ in endings), endings) for endings in _ENDINGS)


def stem(word: str) -> str:
    """A lower-case word without its grammatical ending; other scripts and short words are unchanged."""
    if len(word) <= _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    for last, endings in _LAST:
        if word[-1] in last:
            word = _without(word, endings)
    if len(word) > _SHORTEST and word.endswith("e"):
        word = word[:-1]
    if len(word) > _SHORTEST and word.endswith("y"):
        word = word[:-1] + "i"
    return word


def _without(word: str, endings: tuple[tuple[str, str, int], ...]) -> str:
    for ending, instead, rest in endings:
        if word.endswith(ending):
            bare = word[: -len(ending)]
            if len(bare) < rest or (ending == "s" and word.endswith(_KEPT)) or not _VOWEL.search(bare):
                return word
            return _undoubled(bare) if ending in ("ing", "ed") else bare + instead
    return word


def _undoubled(word: str) -> str:
    doubled = len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word
