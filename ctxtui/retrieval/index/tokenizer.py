"""From text to terms: folded, split at the parts of identifiers, stemmed, with pairs in scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from operator import add
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
# The last letters of each group, because most words end with none of them.
_LAST: Final = tuple((frozenset(ending[-1] for ending, _, _ in endings), endings) for endings in _ENDINGS)

# Scripts without spaces between words, and Korean, whose particles are attached to words.
_DENSE = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
_DENSE += "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_RUN: Final = f"[{_DENSE}]+|[^\\W_{_DENSE}]+"
_IS_DENSE: Final = f"[{_DENSE}]"
_WRITTEN: Final = f"[^\\W_{_DENSE}]+[#+]*|[{_DENSE}]+"
_PLAIN: Final = re.compile(r"[^\W_]+[#+]*")
# Capitals with a plural, such as `URLs`, are one piece without it.
_PIECE: Final = re.compile(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+(?<![A-Z]{2}s)|[A-Z]|\d+")
# Hangul, kana and Chinese characters that no normalization changes, among themselves and ASCII.
_UNCHANGED: Final = "[\0-\x7f\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*+"
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
# Letters without a Unicode decomposition.
_UNDIVIDED: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ß": "ss"}
    | {"Ø": "O", "Ł": "L", "Đ": "D", "Æ": "AE", "Œ": "OE", "Þ": "TH", "Ð": "D", "ẞ": "SS"}
)
_LANGUAGES: Final = {b"c#": "csharp", b"f#": "fsharp", b"c++": "cpp"}
# Characters that separate words. Names of languages contain `#` and `+`.
_SEPARATED: Final = bytes(
    code if code > 127 or chr(code).isalnum() or chr(code) in "#+" else 32 for code in range(256)
)
# Stop words: in nearly every text, without meaning for a search.
_NOT_INDEXED: Final = frozenset(
    "a an and are as at be but by for from has have in is it its of on or that the this to was were will with".split()
)
_LONGEST: Final = 64
_MAX_PIECES: Final = 6
_MAX_CACHED: Final = 100_000


def stem(word: str) -> str:
    """A lower-case word without its grammatical ending. Other scripts and short words are unchanged."""
    if len(word) <= _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    for last, endings in _LAST:
        if word[-1] in last:
            word = _without_ending(word, endings)
    if len(word) > _SHORTEST and word.endswith("e"):
        word = word[:-1]
    if len(word) > _SHORTEST and word.endswith("y"):
        word = word[:-1] + "i"
    return word


def _without_ending(word: str, endings: tuple[tuple[str, str, int], ...]) -> str:
    """A word without the first ending that fits, unchanged if too little would be left."""
    for ending, replacement, least in endings:
        if word.endswith(ending):
            bare = word[: -len(ending)]
            if len(bare) < least or (ending == "s" and word.endswith(_KEPT)) or not _VOWEL.search(bare):
                return word
            return _undoubled(bare) if ending in ("ing", "ed") else bare + replacement
    return word


def _undoubled(word: str) -> str:
    doubled = len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word


class Words:
    """The terms of texts. Terms of a word are computed once and cached within a bound."""

    def __init__(self) -> None:
        self._terms = _TermCache()

    def of(self, text: str) -> str:
        """The terms of a text in order, separated by spaces."""
        if len(self._terms) > _MAX_CACHED:
            self._terms = _TermCache()
        written = text.encode("utf-8", "replace").translate(_SEPARATED).split()
        return " ".join(map(self._terms.__getitem__, written))

    def written(self, text: str) -> Iterator[tuple[str, list[str]]]:
        """Each word as written, with its terms."""
        for match in (_PLAIN if text.isascii() else _compiled(_WRITTEN)).finditer(text):
            yield match[0], self._terms[match[0].encode()].split()


class _TermCache(dict[bytes, str]):
    """Terms by the word as written, computed on first use."""

    def __missing__(self, word: bytes) -> str:
        if word.isalpha() and word[1:].islower() and len(word) <= _LONGEST:
            # Most words: one piece.
            stemmed = stem(word.lower().decode())
            terms = "" if stemmed in _NOT_INDEXED else stemmed
        else:
            terms = " ".join([each for each in _search_words(word) if each not in _NOT_INDEXED])
        if len(word) <= _LONGEST:
            self[word] = terms
        return terms


def _search_words(word: bytes) -> list[str]:
    """The terms of a word that is not plain letters, stop words included."""
    if word.isalnum():
        return _pieces(word.decode())
    if language := _LANGUAGES.get(word.lower()):
        return [language]
    terms: list[str] = []
    for run in _compiled(_RUN).findall(_fold(word.decode("utf-8", "replace"))):
        if is_dense(run):
            terms += pairs(run)
        elif run.isascii():
            terms += _pieces(run)
        else:
            terms.append(run.casefold()[:_LONGEST])
    return terms


def _fold(text: str) -> str:
    """The text without accents. Its case stays, because it shows the parts of identifiers."""
    if text.isascii() or _compiled(_UNCHANGED).fullmatch(text):
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).translate(_UNDIVIDED)


def pairs(run: str) -> list[str]:
    """The overlapping pairs of characters of a text without spaces, and its last character as a term of its own."""
    return [*map(add, run, run[1:]), run[-1]]


def is_dense(word: str) -> bool:
    """Whether a term is of a script without spaces."""
    return not word.isascii() and bool(_compiled(_IS_DENSE).match(word))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _pieces(run: str) -> list[str]:
    """The terms of an identifier: `getUserName` has its three parts and the whole. Hashes and blobs have none."""
    if len(run) > _LONGEST:
        return []
    pieces = _PIECE.findall(run)
    terms = [stem(piece.lower()) for piece in pieces] if len(pieces) <= _MAX_PIECES else []
    return [*terms, stem(run.lower())] if len(pieces) > 1 else terms
