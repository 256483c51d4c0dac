"""Words of prose, normalized for comparison: lower case, singular, without stop words."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
STOP = frozenset("a an and any are as at by for from in is it of on or the this to with".split())


def words(text: str) -> list[str]:
    """The words of a text in order, in lower case and singular, with camel case split."""
    return [_singular(word.lower()) for word in _WORD.findall(_CAMEL.sub(" ", text))]


def _singular(word: str) -> str:
    """An English word without its plural ending, approximately."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
